#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace loopscope {

namespace {

Inferred inferPad(const OperatorUse &use) {
    const Outcome<Dims> pads = knownElements(use, 1);
    if (!pads) return pads.refusal();
    Dims dims = use.dims(0);
    const size_t rank = dims.size();
    if (pads->size() != 2 * rank)
        return refusal(use, "pads has {} numbers, it takes {} for the {} axes of x", pads->size(), 2 * rank, rank);
    const std::string &mode = use.text("mode");
    if (mode != "constant" && mode != "edge" && mode != "reflect")
        return refusal(use, "mode is '{}', it is constant, edge or reflect", mode);
    if (use.has(2)) {
        constexpr std::array<size_t, 2> kSame = {0, 2};
        if (Checked wrong = wantSameType(use, kSame)) return *wrong;
        if (productOf(use.dims(2)) != Dim(1))
            return refusal(use, "value {} has to be one element", dimsText(use.dims(2)));
    }
    for (size_t axis = 0; axis < rank; ++axis) {
        const Dim &extent = use.dims(0)[axis];
        for (const Dim &pad : {(*pads)[axis], (*pads)[axis + rank]}) {
            dims[axis] = dims[axis] + pad;
            if (mode == "constant" || !pad.isConstant() || !extent.isConstant() || pad.value() <= 0) continue;
            if (extent.value() == 0 || (mode == "reflect" && pad.value() >= extent.value()))
                return refusal(use, "axis {} of extent {} has not enough elements for padding of {} in mode {}", axis,
                               extent.text(), pad.text(), mode);
        }
        if (dims[axis].isConstant() && dims[axis].value() < 0)
            return refusal(use, "pads {} take away more than axis {} of x {} has", dimsText(*pads), axis,
                           dimsText(use.dims(0)));
    }
    return result(use.dtype(0), std::move(dims));
}

int64_t mirrored(int64_t at, int64_t extent) {
    if (at < 0) at = -at;
    return at >= extent ? 2 * (extent - 1) - at : at;
}

Evaluated evaluatePad(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const WideTensor &x = *inputs[0];
    const std::string &mode = use.text("mode");
    if (inputs.size() > 2 && inputs[2]) {
        if (isFloat(y->dtype))
            std::fill(y->floats.begin(), y->floats.end(), inputs[2]->floats[0]);
        else
            std::fill(y->integers.begin(), y->integers.end(), inputs[2]->integers[0]);
    }
    if (y->size() == 0) return single(std::move(y).value());
    std::vector<std::vector<int64_t>> maps;
    for (size_t axis = 0; axis < x.dims.size(); ++axis) {
        const int64_t extent = x.dims[axis];
        std::vector<int64_t> map(static_cast<size_t>(y->dims[axis]));
        for (size_t i = 0; i < map.size(); ++i) {
            const int64_t at = static_cast<int64_t>(i) - inputs[1]->integers[axis];
            if (at >= 0 && at < extent)
                map[i] = at;
            else if (mode == "constant")
                map[i] = -1;
            else
                map[i] = mode == "edge" ? std::clamp(at, int64_t{0}, extent - 1) : mirrored(at, extent);
        }
        maps.push_back(std::move(map));
    }
    copyMapped(x, maps, *y, pool);
    return single(std::move(y).value());
}

Inferred inferResize(const OperatorUse &use) {
    const Dims &x = use.dims(0);
    const auto oneOf = [](const std::string &word, std::initializer_list<const char *> words) {
        return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (!oneOf(use.text("mode"), {"nearest", "linear"}))
        return refusal(use, "mode is '{}', it is nearest or linear", use.text("mode"));
    if (!oneOf(use.text("coordinates"),
               {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "tf_half_pixel_for_nn"}))
        return refusal(use,
                       "coordinates is '{}', it is half_pixel, pytorch_half_pixel, asymmetric, align_corners or "
                       "tf_half_pixel_for_nn",
                       use.text("coordinates"));
    if (!oneOf(use.text("nearest"), {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}))
        return refusal(use, "nearest is '{}', it is round_prefer_floor, round_prefer_ceil, floor or ceil",
                       use.text("nearest"));
    if (use.text("mode") == "linear")
        if (Checked wrong = wantFloat(use, 0)) return *wrong;
    const std::vector<int64_t> sizes = use.integers("sizes");
    const std::vector<double> scales = use.numbers("scales");
    if (sizes.empty() && scales.empty() && !x.empty()) return refusal(use, "neither sizes nor scales are given");
    if (!sizes.empty() && sizes.size() != x.size())
        return refusal(use, "there are {} sizes, x {} has {} axes", sizes.size(), dimsText(x), x.size());
    if (!scales.empty() && scales.size() != x.size())
        return refusal(use, "there are {} scales, x {} has {} axes", scales.size(), dimsText(x), x.size());
    Dims dims;
    for (size_t axis = 0; axis < x.size(); ++axis) {
        if (x[axis] == Dim(0)) return refusal(use, "axis {} of x {} has no element", axis, dimsText(x));
        if (!sizes.empty()) {
            if (sizes[axis] < 1) return refusal(use, "sizes has {}, each is at least 1", sizes[axis]);
            dims.push_back(sizes[axis]);
            continue;
        }
        const double scale = scales[axis];
        if (!(scale > 0) || scale > INT32_MAX)
            return refusal(use, "scales has {}, each is above 0 and at most {}", scale, INT32_MAX);
        if (x[axis].isConstant())
            dims.push_back(truncated(std::floor(static_cast<double>(x[axis].value()) * scale)));
        else if (scale == std::floor(scale))
            dims.push_back(x[axis] * static_cast<int64_t>(scale));
        else
            return refusal(use, "how long axis {} of extent {} is by a scale of {} is not known", axis, x[axis].text(),
                           scale);
    }
    return result(use.dtype(0), std::move(dims));
}

/// Where an axis of the result looks in the input.
struct ResizedAxis {
    int64_t input = 1;
    int64_t output = 1;
    double scale = 1;
    double length = 1; // of the result before it was rounded

    [[nodiscard]] double coordinate(const std::string &rule, int64_t at) const {
        const auto place = static_cast<double>(at);
        if (rule == "asymmetric") return place / scale;
        if (rule == "tf_half_pixel_for_nn") return (place + 0.5) / scale;
        if (rule == "align_corners") return length == 1 ? 0 : place * static_cast<double>(input - 1) / (length - 1);
        if (rule == "pytorch_half_pixel" && !(length > 1)) return 0;
        return (place + 0.5) / scale - 0.5;
    }
};

std::vector<ResizedAxis> resizedAxes(const OperatorUse &use, const WideTensor &x, const WideTensor &y) {
    const std::vector<double> scales = use.numbers("scales");
    std::vector<ResizedAxis> axes;
    for (size_t axis = 0; axis < x.dims.size(); ++axis) {
        ResizedAxis of = {x.dims[axis], y.dims[axis], 1, 1};
        of.scale = use.integers("sizes").empty() ? scales[axis]
                                                 : static_cast<double>(of.output) / static_cast<double>(of.input);
        of.length =
            use.integers("sizes").empty() ? of.scale * static_cast<double>(of.input) : static_cast<double>(of.output);
        axes.push_back(of);
    }
    return axes;
}

int64_t nearestPlace(const std::string &rule, double at) {
    if (rule == "floor") return static_cast<int64_t>(std::floor(at));
    if (rule == "ceil") return static_cast<int64_t>(std::ceil(at));
    if (rule == "round_prefer_ceil") return static_cast<int64_t>(std::floor(at + 0.5));
    return static_cast<int64_t>(std::ceil(at - 0.5));
}

/// One axis interpolated, the others as they are.
WideTensor interpolated(const WideTensor &x, size_t axis, const ResizedAxis &of, const std::string &rule,
                        ThreadPool &pool) {
    std::vector<int64_t> dims = x.dims;
    dims[axis] = of.output;
    WideTensor y = WideTensor::zeros(x.dtype, std::move(dims));
    int64_t inner = 1;
    for (size_t i = axis + 1; i < x.dims.size(); ++i) inner *= x.dims[i];
    if (y.floats.empty()) return y;
    inParts(pool, static_cast<int64_t>(y.floats.size()) / inner, inner, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const int64_t outer = row / of.output;
            const auto last = static_cast<double>(of.input - 1);
            const double at = std::clamp(of.coordinate(rule, row % of.output), 0.0, last);
            const auto lower = static_cast<int64_t>(at);
            const int64_t upper = std::min(lower + 1, of.input - 1);
            const double share = at - static_cast<double>(lower);
            const double *a = x.floats.data() + (outer * of.input + lower) * inner;
            const double *b = x.floats.data() + (outer * of.input + upper) * inner;
            double *to = y.floats.data() + row * inner;
            for (int64_t i = 0; i < inner; ++i) to[i] = (1 - share) * a[i] + share * b[i];
        }
    });
    return y;
}

Evaluated evaluateResize(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const WideTensor &x = *inputs[0];
    const std::string &rule = use.text("coordinates");
    const std::vector<ResizedAxis> axes = resizedAxes(use, x, *y);
    if (y->size() == 0) return single(std::move(y).value());
    if (use.text("mode") == "linear") {
        WideTensor part = x;
        for (size_t axis = 0; axis < axes.size(); ++axis)
            if (axes[axis].scale != 1) part = interpolated(part, axis, axes[axis], rule, pool);
        return single(std::move(part));
    }
    std::vector<std::vector<int64_t>> maps;
    for (const ResizedAxis &axis : axes) {
        std::vector<int64_t> map;
        for (int64_t i = 0; i < axis.output; ++i) {
            // An axis that stays is not resized at all.
            const double at = axis.scale == 1 ? static_cast<double>(i) : axis.coordinate(rule, i);
            map.push_back(std::clamp(nearestPlace(use.text("nearest"), at), int64_t{0}, axis.input - 1));
        }
        maps.push_back(std::move(map));
    }
    copyMapped(x, maps, *y, pool);
    return single(std::move(y).value());
}

} // namespace

OperatorTable resizeOperators() {
    return {
        {.name = "pad",
         .doc = "Elements added before and behind every axis, or taken away where negative.",
         .inputs = {needed("x"), needed("pads"), optional("value")},
         .attributes = {text("mode", "constant", "constant: `value`, edge: the last element, reflect: mirrored at it")},
         .pattern = PatternKind::Injective,
         .infer = inferPad,
         .evaluate = evaluatePad},
        {.name = "resize",
         .doc = "Another size by the nearest element or by linear interpolation.",
         .inputs = {needed("x")},
         .attributes = {text("mode", "nearest", "nearest or linear"),
                        text("coordinates", "half_pixel",
                             "half_pixel, pytorch_half_pixel, asymmetric, align_corners or tf_half_pixel_for_nn"),
                        text("nearest", "round_prefer_floor", "round_prefer_floor, round_prefer_ceil, floor or ceil"),
                        integers("sizes", "dims of the result; none: by scales"),
                        numbers("scales", "result by input, an axis each; none: by sizes")},
         .pattern = PatternKind::Injective,
         .infer = inferResize,
         .evaluate = evaluateResize}};
}

} // namespace loopscope
