#include "networks/op/data_layout.h"

#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

constexpr std::array<std::string_view, 2> kLayoutNames = {"channels_first", "channels_last"};

std::vector<size_t> asItIs(size_t rank) {
    std::vector<size_t> axes(rank);
    std::iota(axes.begin(), axes.end(), size_t{0});
    return axes;
}

} // namespace

std::string_view dataLayoutName(DataLayout layout) { return kLayoutNames[static_cast<size_t>(layout)]; }

std::optional<DataLayout> dataLayoutFromName(std::string_view name) {
    for (const DataLayout layout : kDataLayouts)
        if (dataLayoutName(layout) == name) return layout;
    return std::nullopt;
}

AttributeSpec layoutAttribute() {
    return {"layout", AttributeKind::Text, std::string(dataLayoutName(DataLayout::ChannelsFirst)),
            "channels_first: [N, C, ...], or channels_last: [N, ..., C]; of what it takes and gives"};
}

Outcome<DataLayout> layoutOf(const OperatorUse &use) {
    const std::string &name = use.text("layout");
    if (const auto layout = dataLayoutFromName(name)) return *layout;
    return refusal(use, "layout is '{}', it is channels_first or channels_last", name);
}

DataLayout layoutOf(const Node &node) {
    const auto given = node.attributes.find("layout");
    if (given == node.attributes.end()) return DataLayout::ChannelsFirst;
    const auto *name = std::get_if<std::string>(&given->second);
    return name ? dataLayoutFromName(*name).value_or(DataLayout::ChannelsFirst) : DataLayout::ChannelsFirst;
}

std::vector<size_t> axesIn(DataLayout layout, size_t rank) {
    std::vector<size_t> axes = asItIs(rank);
    if (layout == DataLayout::ChannelsLast && rank > 2) std::rotate(axes.begin() + 1, axes.begin() + 2, axes.end());
    return axes;
}

std::vector<size_t> kernelAxesIn(DataLayout layout, size_t rank) {
    std::vector<size_t> axes = asItIs(rank);
    if (layout == DataLayout::ChannelsFirst || rank < 2) return axes;
    std::rotate(axes.begin(), axes.begin() + 2, axes.end());
    std::swap(axes[rank - 2], axes[rank - 1]);
    return axes;
}

std::vector<size_t> inverseOf(const std::vector<size_t> &permutation) {
    std::vector<size_t> inverse(permutation.size());
    for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = i;
    return inverse;
}

WideTensor withAxes(const WideTensor &tensor, const std::vector<size_t> &permutation, ThreadPool &pool) {
    WideTensor result = WideTensor::zeros(tensor.dtype, permuted(tensor.dims, permutation));
    if (result.size() == 0) return result;
    copyStrided(result.dims, tensor, 0, permuted(denseStrides(tensor.dims), permutation), result, 0,
                denseStrides(result.dims), pool);
    return result;
}

} // namespace loopscope
