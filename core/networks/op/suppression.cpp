#include "networks/op/suppression.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

namespace {

struct Box {
    double top = 0, left = 0, bottom = 0, right = 0;

    explicit Box(const double *corners)
        : top(std::min(corners[0], corners[2])), left(std::min(corners[1], corners[3])),
          bottom(std::max(corners[0], corners[2])), right(std::max(corners[1], corners[3])) {}
    [[nodiscard]] double area() const { return (bottom - top) * (right - left); }
};

/// Of what both cover together, what both cover; 0 where one of them has no area.
double shared(const Box &a, const Box &b) {
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (!(height > 0) || !(width > 0) || !(a.area() > 0) || !(b.area() > 0)) return 0;
    const double both = height * width;
    return both / (a.area() + b.area() - both);
}

/// An input of one element; `fallback` where it is left out.
Outcome<double> setting(const Node &node, std::span<const WideTensor *const> inputs, size_t input, const char *what,
                        double fallback) {
    if (input >= inputs.size() || inputs[input] == nullptr) return fallback;
    const WideTensor &given = *inputs[input];
    if (given.size() != 1)
        return Refusal{fmt::format("{}: {} is one number; {} are given", nodeText(node), what, given.size())};
    return isFloat(given.dtype) ? given.floats[0] : static_cast<double>(given.integers[0]);
}

} // namespace

Outcome<std::vector<WideTensor>> suppressOverlaps(const Node &node, std::span<const WideTensor *const> inputs) {
    const WideTensor &boxes = *inputs[0];
    const WideTensor &scores = *inputs[1];
    if (!isFloat(boxes.dtype) || !isFloat(scores.dtype) || boxes.dims.size() != 3 || boxes.dims[2] != 4 ||
        scores.dims.size() != 3 || scores.dims[0] != boxes.dims[0] || scores.dims[2] != boxes.dims[1])
        return Refusal{
            fmt::format("{}: boxes are {} and scores {}; they have to be floating point, [batches, boxes, 4] "
                        "and [batches, classes, boxes]",
                        nodeText(node), typeText({boxes.dtype, asDims(boxes.dims)}),
                        typeText({scores.dtype, asDims(scores.dims)}))};
    const auto most = setting(node, inputs, 2, "the number of boxes of a class", 0);
    if (!most) return most.refusal();
    const auto overlap = setting(node, inputs, 3, "the share that two boxes may have in common", 0);
    if (!overlap) return overlap.refusal();
    const auto least =
        setting(node, inputs, 4, "the score that is not enough", -std::numeric_limits<double>::infinity());
    if (!least) return least.refusal();
    const bool limited = inputs.size() > 4 && inputs[4] != nullptr;
    if (*overlap < 0 || *overlap > 1)
        return Refusal{fmt::format("{}: the share that two boxes may have in common is {}; it is 0 to 1",
                                   nodeText(node), *overlap)};

    const int64_t count = boxes.dims[1];
    const int64_t classes = scores.dims[1];
    std::vector<int64_t> chosen; // three numbers each
    std::vector<int64_t> candidates;
    std::vector<Box> kept;
    for (int64_t batch = 0; batch < boxes.dims[0]; ++batch)
        for (int64_t kind = 0; kind < classes; ++kind) {
            const double *score = scores.floats.data() + (batch * classes + kind) * count;
            candidates.clear();
            for (int64_t i = 0; i < count; ++i)
                if (!std::isnan(score[i]) && (!limited || score[i] > *least)) candidates.push_back(i);
            std::stable_sort(candidates.begin(), candidates.end(),
                             [score](int64_t a, int64_t b) { return score[a] > score[b]; });
            kept.clear();
            for (const int64_t candidate : candidates) {
                if (static_cast<double>(kept.size()) >= *most) break;
                const Box box(boxes.floats.data() + (batch * count + candidate) * 4);
                if (std::any_of(kept.begin(), kept.end(),
                                [&](const Box &other) { return shared(box, other) > *overlap; }))
                    continue;
                kept.push_back(box);
                chosen.insert(chosen.end(), {batch, kind, candidate});
            }
        }
    WideTensor selected = {DType::Int64, {static_cast<int64_t>(chosen.size() / 3), 3}, {}, std::move(chosen)};
    std::vector<WideTensor> outputs;
    outputs.push_back(std::move(selected));
    return outputs;
}

} // namespace loopscope
