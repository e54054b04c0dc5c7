#pragma once
// In which order the axes of a batch of planes lie: channels first (NCHW, as ONNX has it) or last (NHWC), for any
// number of spatial axes. Operators with a window say by their attribute `layout` which one they take and give; kernels
// of convolutions go along, [M, C / group, ...] or [..., C / group, M]. Which operators can be written in which layout,
// and how, says networks/op/layout_rule.h. How the elements of one tensor lie inside a kernel is no matter of it
// (core/codegen/layout).

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "language/tensor/wide_tensor.h"
#include "networks/op/operator_use.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class DataLayout : uint8_t { ChannelsFirst, ChannelsLast };
inline constexpr std::array<DataLayout, 2> kDataLayouts = {DataLayout::ChannelsFirst, DataLayout::ChannelsLast};

/// "channels_first", "channels_last".
std::string_view dataLayoutName(DataLayout layout);
std::optional<DataLayout> dataLayoutFromName(std::string_view name);
AttributeSpec layoutAttribute();
/// Of a node whose operator has the attribute; refuses a word that is no layout.
Outcome<DataLayout> layoutOf(const OperatorUse &use);
/// The same without a catalogue: channels first where a node says nothing.
DataLayout layoutOf(const Node &node);

/// Which axis of channels-first data stands at each place of the layout: {0, 2, 3, 1}.
std::vector<size_t> axesIn(DataLayout layout, size_t rank);
/// The same of kernels [M, C / group, ...]: {2, 3, 1, 0}.
std::vector<size_t> kernelAxesIn(DataLayout layout, size_t rank);
/// The permutation that undoes one.
std::vector<size_t> inverseOf(const std::vector<size_t> &permutation);
/// What stands at the places that the permutation names.
template <typename T> std::vector<T> permuted(const std::vector<T> &list, const std::vector<size_t> &permutation) {
    std::vector<T> result;
    result.reserve(permutation.size());
    for (const size_t at : permutation) result.push_back(list[at]);
    return result;
}
inline size_t channelAxis(DataLayout layout, size_t rank) { return layout == DataLayout::ChannelsLast ? rank - 1 : 1; }
inline size_t firstSpatialAxis(DataLayout layout) { return layout == DataLayout::ChannelsLast ? 1 : 2; }

/// Axes in another order: result axis i is axis permutation[i] of the tensor.
WideTensor withAxes(const WideTensor &tensor, const std::vector<size_t> &permutation, ThreadPool &pool);

} // namespace loopscope
