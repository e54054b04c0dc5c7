#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace loopscope {

namespace {

constexpr std::array<size_t, 3> kEnds = {0, 1, 2};

Inferred inferShape(const OperatorUse &use) {
    const Dims &x = use.dims(0);
    const auto rank = static_cast<int64_t>(x.size());
    const auto place = [&](int64_t axis) {
        return std::clamp(axis < 0 ? std::max(axis, -rank) + rank : axis, int64_t{0}, rank);
    };
    const int64_t start = place(use.integer("start"));
    const int64_t end = std::max(start, place(use.integer("end")));
    Dims part(x.begin() + start, x.begin() + end);
    return result(DType::Int64, {end - start}, std::move(part));
}

Evaluated evaluateShape(const OperatorUse &use, std::span<const WideTensor *const>, ThreadPool &) {
    auto inferred = inferShape(use);
    if (!inferred) return inferred.refusal();
    WideTensor y = {DType::Int64, {}, {}, {}};
    const auto numbers = constantDims(*inferred->front().elements);
    if (!numbers) return refusal(use, "the dims {} of x are not known", dimsText(use.dims(0)));
    y.integers = *numbers;
    y.dims = {static_cast<int64_t>(y.integers.size())};
    return single(std::move(y));
}

Inferred inferConstantOfShape(const OperatorUse &use) {
    const HostTensor &value = use.tensor("value");
    if (value.elements() != 1) return refusal(use, "value has {} elements, it has to have one", value.elements());
    Outcome<Dims> dims = knownElements(use, 0);
    if (!dims) return dims.refusal();
    std::optional<Dims> elements;
    const Dim count = productOf(*dims);
    if (!isFloat(value.dtype()) && dims->size() <= 1 && count.isConstant() && count.value() >= 0 &&
        count.value() <= kMaxKnownElements)
        elements.emplace(static_cast<size_t>(count.value()), Dim(value.integer(0)));
    return result(value.dtype(), std::move(dims).value(), std::move(elements));
}

Evaluated evaluateConstantOfShape(const OperatorUse &use, std::span<const WideTensor *const>, ThreadPool &) {
    Outcome<WideTensor> y = emptyResult(use);
    if (!y) return y.refusal();
    const HostTensor &value = use.tensor("value");
    if (isFloat(y->dtype))
        std::fill(y->floats.begin(), y->floats.end(), value.number(0));
    else
        std::fill(y->integers.begin(), y->integers.end(), value.integer(0));
    return single(std::move(y).value());
}

Outcome<int64_t> countOfNumbers(const OperatorUse &use, double start, double limit, double delta) {
    constexpr double kMost = 1 << 30;
    if (delta == 0 || std::isnan(delta)) return refusal(use, "delta is {}", delta);
    const double count = std::ceil((limit - start) / delta);
    if (!(count <= kMost)) return refusal(use, "from {} to {} by {} are too many numbers", start, limit, delta);
    return count > 0 ? static_cast<int64_t>(count) : 0;
}

/// Exact, whatever the integers are.
Outcome<int64_t> countOfIntegers(const OperatorUse &use, int64_t start, int64_t limit, int64_t delta) {
    constexpr uint64_t kMost = uint64_t{1} << 30;
    if (delta == 0) return refusal(use, "delta is 0");
    if (delta > 0 ? limit <= start : limit >= start) return int64_t{0};
    const uint64_t way = delta > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                                   : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
    const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : 0 - static_cast<uint64_t>(delta);
    const uint64_t count = (way - 1) / step + 1;
    if (count > kMost) return refusal(use, "from {} to {} by {} are too many numbers", start, limit, delta);
    return static_cast<int64_t>(count);
}

/// start + i * delta, which is between start and limit.
int64_t numberOf(int64_t start, int64_t i, int64_t delta) {
    return static_cast<int64_t>(static_cast<uint64_t>(start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
}

Checked wantScalars(const OperatorUse &use) {
    if (Checked wrong = wantNumeric(use, 0)) return wrong;
    if (Checked wrong = wantSameType(use, kEnds)) return wrong;
    for (const size_t input : kEnds)
        if (use.rank(input) > 1 || (use.rank(input) == 1 && use.dims(input)[0] != Dim(1)))
            return refusal(use, "{} {} has to be a scalar", inputName(use, input), dimsText(use.dims(input)));
    return std::nullopt;
}

Inferred inferRange(const OperatorUse &use) {
    if (Checked wrong = wantScalars(use)) return *wrong;
    if (isFloat(use.dtype(0))) {
        for (const size_t input : kEnds)
            if (!use.constant(input))
                return refusal(use,
                               "what {} holds is not known before the network runs, and the shape of the result "
                               "depends on it",
                               inputName(use, input));
        const Outcome<int64_t> count =
            countOfNumbers(use, use.constant(0)->number(0), use.constant(1)->number(0), use.constant(2)->number(0));
        if (!count) return count.refusal();
        return result(use.dtype(0), {*count});
    }
    std::array<Dim, 3> ends;
    for (const size_t input : kEnds) {
        const auto elements = use.elements(input);
        if (!elements)
            return refusal(use,
                           "what {} holds is not known before the network runs, and the shape of the result depends "
                           "on it",
                           inputName(use, input));
        ends[input] = elements->front();
    }
    if (ends[0].isConstant() && ends[1].isConstant() && ends[2].isConstant()) {
        const int64_t delta = ends[2].value();
        const Outcome<int64_t> count = countOfIntegers(use, ends[0].value(), ends[1].value(), delta);
        if (!count) return count.refusal();
        if (*count > kMaxKnownElements) return result(use.dtype(0), {*count});
        Dims elements;
        for (int64_t i = 0; i < *count; ++i) elements.emplace_back(numberOf(ends[0].value(), i, delta));
        return result(use.dtype(0), {*count}, std::move(elements));
    }
    if (!ends[2].isConstant() || ends[2].value() < 1)
        return refusal(use, "how many numbers there are from {} to {} by {} is not known", ends[0].text(),
                       ends[1].text(), ends[2].text());
    return result(use.dtype(0), {Dim::ceilDiv(ends[1] - ends[0], ends[2])});
}

Evaluated evaluateRange(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &) {
    if (Checked wrong = wantScalars(use)) return *wrong;
    const DType type = inputs[0]->dtype;
    if (isFloat(type)) {
        const double start = inputs[0]->floats[0];
        const double delta = inputs[2]->floats[0];
        const Outcome<int64_t> count = countOfNumbers(use, start, inputs[1]->floats[0], delta);
        if (!count) return count.refusal();
        WideTensor y = WideTensor::zeros(type, {*count});
        for (size_t i = 0; i < y.floats.size(); ++i) y.floats[i] = start + static_cast<double>(i) * delta;
        return single(std::move(y));
    }
    const int64_t start = inputs[0]->integers[0];
    const int64_t delta = inputs[2]->integers[0];
    const Outcome<int64_t> count = countOfIntegers(use, start, inputs[1]->integers[0], delta);
    if (!count) return count.refusal();
    WideTensor y = WideTensor::zeros(type, {*count});
    for (size_t i = 0; i < y.integers.size(); ++i) y.integers[i] = numberOf(start, static_cast<int64_t>(i), delta);
    return single(std::move(y));
}

} // namespace

OperatorTable constantOperators() {
    return {{.name = "shape",
             .doc = "The dims of a tensor, from axis start up to end (left out).",
             .inputs = {needed("x")},
             .attributes = {integer("start", 0, "first axis"), integer("end", INT64_MAX, "axis behind the last")},
             .pattern = PatternKind::Opaque,
             .infer = inferShape,
             .evaluate = evaluateShape},
            {.name = "constant_of_shape",
             .doc = "A tensor of given dims all of whose elements are the same.",
             .inputs = {needed("shape")},
             .attributes = {{"value", AttributeKind::Tensor, HostTensor::splat(DType::Float32, {1}, 0),
                             "the element, in a tensor of one; its type is that of the result"}},
             .pattern = PatternKind::Opaque,
             .infer = inferConstantOfShape,
             .evaluate = evaluateConstantOfShape},
            {.name = "range",
             .doc = "Numbers from start up to limit (left out), delta apart.",
             .inputs = {needed("start"), needed("limit"), needed("delta")},
             .attributes = {},
             .pattern = PatternKind::Opaque,
             .infer = inferRange,
             .evaluate = evaluateRange}};
}

} // namespace loopscope
