#include "networks/op/window.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int64_t kGreatest = INT32_MAX; // of any number of a window: sums and products of them stay in int64
constexpr int64_t kGreatestKernel = 65536;

Outcome<std::vector<int64_t>> windowList(const OperatorUse &use, std::string_view name, size_t count, int64_t fallback,
                                         int64_t least) {
    std::vector<int64_t> list = use.integers(name);
    if (list.empty()) return std::vector<int64_t>(count, fallback);
    if (list.size() != count)
        return refusal(use, "{} has {} numbers, it takes {} for {} spatial axes", name, list.size(), count,
                       use.rank(0) - 2);
    for (const int64_t number : list)
        if (number < least || number > kGreatest)
            return refusal(use, "{} has {}, each is from {} to {}", name, number, least, kGreatest);
    return list;
}

int64_t ceilQuotient(int64_t a, int64_t b) { return a > 0 ? (a - 1) / b + 1 : a / b; }

} // namespace

Outcome<Window> windowOf(const OperatorUse &use, std::vector<int64_t> kernel) {
    const size_t axes = kernel.size();
    for (const int64_t size : kernel)
        if (size < 1 || size > kGreatestKernel)
            return refusal(use, "the kernel has extent {}, each is from 1 to {}", size, kGreatestKernel);
    auto strides = windowList(use, "strides", axes, 1, 1);
    if (!strides) return strides.refusal();
    auto pads = windowList(use, "pads", 2 * axes, 0, 0);
    if (!pads) return pads.refusal();
    const std::vector<AttributeSpec> &specs = use.of().attributes;
    const bool dilated =
        std::any_of(specs.begin(), specs.end(), [](const auto &spec) { return spec.name == "dilations"; });
    auto dilations = dilated ? windowList(use, "dilations", axes, 1, 1) : std::vector<int64_t>(axes, 1);
    if (!dilations) return dilations.refusal();
    Window window = {std::move(kernel), std::move(strides).value(), std::move(dilations).value(), {}, {}};
    const auto middle = pads->begin() + static_cast<std::ptrdiff_t>(axes);
    window.before.assign(pads->begin(), middle);
    window.behind.assign(middle, pads->end());
    return window;
}

Outcome<Dims> windowPlaces(const OperatorUse &use, const Window &window, std::span<const Dim> extents, bool ceilMode,
                           size_t firstAxis) {
    Dims places;
    for (size_t axis = 0; axis < extents.size(); ++axis) {
        const Dim &extent = extents[axis];
        const int64_t stride = window.strides[axis];
        const Dim room = extent + (window.before[axis] + window.behind[axis] - window.reach(axis));
        if (room.isConstant() && room.value() < 0)
            return refusal(
                use,
                "a kernel that reaches over {} elements does not fit into axis {} of extent {} with padding {} + {}",
                window.reach(axis), firstAxis + axis, extent.text(), window.before[axis], window.behind[axis]);
        Dim count = (ceilMode ? Dim::ceilDiv(room, stride) : Dim::floorDiv(room, stride)) + 1;
        // With less than this no place can begin behind the input.
        if (ceilMode && window.behind[axis] + stride > window.reach(axis)) {
            if (!extent.isConstant())
                return refusal(use, "with ceil_mode, how often the window fits into axis {} of extent {} is not known",
                               firstAxis + axis, extent.text());
            if ((count.value() - 1) * stride >= (extent + window.before[axis]).value()) count = count - 1;
        }
        places.push_back(std::move(count));
    }
    return places;
}

WindowWalk::WindowWalk(const Window &window, const std::vector<int64_t> &inputs, const std::vector<int64_t> &outputs)
    : m_inputs(inputs), m_outputs(outputs), m_strides(window.strides), m_window(window) {
    for (size_t axis = 0; axis < inputs.size(); ++axis) {
        const int64_t stride = window.strides[axis];
        std::vector<Meeting> meetings;
        for (int64_t k = 0; k < window.kernel[axis]; ++k) {
            const int64_t shift = k * window.dilations[axis] - window.before[axis]; // input of output 0
            const int64_t first = shift < 0 ? ceilQuotient(-shift, stride) : 0;
            const int64_t last = std::min(outputs[axis], ceilQuotient(inputs[axis] - shift, stride));
            meetings.push_back({first, last, first * stride + shift});
        }
        m_taps *= window.kernel[axis];
        m_meetings.push_back(std::move(meetings));
    }
}

int64_t WindowWalk::inside(int64_t output, bool padding) const {
    int64_t count = 1;
    for (size_t axis = m_outputs.size(); axis-- > 0;) {
        const int64_t at = output % m_outputs[axis];
        output /= m_outputs[axis];
        int64_t along = 0;
        const int64_t least = padding ? -m_window.before[axis] : 0;
        const int64_t end = m_inputs[axis] + (padding ? m_window.behind[axis] : 0);
        for (int64_t k = 0; k < m_window.kernel[axis]; ++k) {
            const int64_t input = at * m_window.strides[axis] + k * m_window.dilations[axis] - m_window.before[axis];
            if (input >= least && input < end) ++along;
        }
        count *= along;
    }
    return count;
}

} // namespace loopscope
