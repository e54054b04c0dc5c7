#pragma once
// A window that moves over the spatial axes of x, channels first or last: what convolutions and pools have in common.
// Along each axis, output o looks with kernel place k at input o * stride + k * dilation - pad.

#include "networks/op/data_layout.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace loopscope {

struct Window {
    std::vector<int64_t> kernel;
    std::vector<int64_t> strides;
    std::vector<int64_t> dilations;
    std::vector<int64_t> before; // padding
    std::vector<int64_t> behind;

    /// From the first to the last element that it looks at.
    [[nodiscard]] int64_t reach(size_t axis) const { return dilations[axis] * (kernel[axis] - 1) + 1; }
};

/// Strides, pads and (where the operator has them) dilations, checked, for a kernel of as many axes as x has spatial
/// ones.
Outcome<Window> windowOf(const OperatorUse &use, std::vector<int64_t> kernel);

/// How many places the window has along each axis. `ceilMode`: a last place that is partly outside counts, unless it
/// would begin in the padding behind. `firstAxis`: number of the first spatial axis, for messages.
Outcome<Dims> windowPlaces(const OperatorUse &use, const Window &window, std::span<const Dim> extents, bool ceilMode,
                           size_t firstAxis);

/// What `compute` makes of a channels-first x, as compute(x, y) into a channels-first y of zeros, in the layout that
/// the node has. It hands back a refusal, or nothing.
template <typename Compute>
Evaluated evaluatePlanes(const OperatorUse &use, const WideTensor &x, ThreadPool &pool, const Compute &compute) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const Outcome<DataLayout> layout = layoutOf(use);
    if (!layout) return layout.refusal();
    if (y->size() == 0) return single(std::move(y).value());
    if (*layout == DataLayout::ChannelsFirst) {
        if (Checked wrong = compute(x, *y)) return *wrong;
        return single(std::move(y).value());
    }
    const std::vector<size_t> axes = axesIn(*layout, x.dims.size());
    const std::vector<size_t> back = inverseOf(axes);
    WideTensor planes = WideTensor::zeros(y->dtype, permuted(y->dims, back));
    if (Checked wrong = compute(withAxes(x, back, pool), planes)) return *wrong;
    return single(withAxes(planes, axes, pool));
}

/// Where the window meets the input, for numbers of extents: what reference evaluation walks over.
class WindowWalk {
  public:
    WindowWalk(const Window &window, const std::vector<int64_t> &inputs, const std::vector<int64_t> &outputs);

    /// Number of places in the kernel.
    [[nodiscard]] int64_t taps() const { return m_taps; }

    /// Calls row(output, input, count, step) for each row of outputs that sees the input with this place of the kernel:
    /// outputs stand side by side from `output` on, their inputs `step` apart from `input` on.
    template <typename Row> void rows(int64_t tap, const Row &row) const {
        std::vector<const Meeting *> at(m_meetings.size());
        for (size_t axis = m_meetings.size(); axis-- > 0;) {
            const auto kernel = static_cast<int64_t>(m_meetings[axis].size());
            at[axis] = &m_meetings[axis][static_cast<size_t>(tap % kernel)];
            if (at[axis]->first >= at[axis]->last) return;
            tap /= kernel;
        }
        walk(at, 0, 0, 0, row);
    }
    /// How many places of the kernel are inside (the padding, too, where it counts) at an output.
    [[nodiscard]] int64_t inside(int64_t output, bool padding) const;

  private:
    struct Meeting {
        int64_t first = 0; // outputs from first to last (left out) meet the input
        int64_t last = 0;
        int64_t input = 0; // what the first one meets
    };
    template <typename Row>
    void walk(const std::vector<const Meeting *> &at, size_t axis, int64_t output, int64_t input,
              const Row &row) const {
        const Meeting &here = *at[axis];
        output = output * m_outputs[axis] + here.first;
        input = input * m_inputs[axis] + here.input;
        if (axis + 1 == at.size()) {
            row(output, input, here.last - here.first, m_strides[axis]);
            return;
        }
        for (int64_t i = here.first; i < here.last; ++i, ++output, input += m_strides[axis])
            walk(at, axis + 1, output, input, row);
    }

    int64_t m_taps = 1;
    std::vector<int64_t> m_inputs;
    std::vector<int64_t> m_outputs;
    std::vector<int64_t> m_strides;
    Window m_window;
    std::vector<std::vector<Meeting>> m_meetings; // by axis and place in the kernel
};

} // namespace loopscope
