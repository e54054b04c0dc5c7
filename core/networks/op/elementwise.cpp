#include "language/expr/extreme.h"
#include "language/expr/half.h"
#include "networks/op/clip_limits.h"
#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/strided_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace loopscope {

namespace {

enum class Takes : uint8_t { Floats, Numbers, Bools, All };

template <Takes takes> Inferred inferUnary(const OperatorUse &use) {
    Checked wrong;
    if (takes == Takes::Floats) wrong = wantFloat(use, 0);
    if (takes == Takes::Numbers) wrong = wantNumeric(use, 0);
    if (takes == Takes::Bools) wrong = wantBool(use, 0);
    if (wrong) return *wrong;
    return result(use.dtype(0), use.dims(0));
}

Inferred inferIdentity(const OperatorUse &use) { return result(use.dtype(0), use.dims(0), use.elements(0)); }

Inferred inferNegated(const OperatorUse &use) {
    if (Checked wrong = wantNumeric(use, 0)) return *wrong;
    std::optional<Dims> elements = use.elements(0);
    if (elements)
        for (Dim &element : *elements) element = Dim(0) - element;
    return result(use.dtype(0), use.dims(0), std::move(elements));
}

Inferred inferCast(const OperatorUse &use) {
    const std::string &name = use.text("to");
    const auto to = dtypeFromName(name);
    if (!to) return refusal(use, "there is no element type '{}' to convert to", name);
    std::optional<Dims> elements;
    if (!isFloat(*to)) elements = use.elements(0);
    if (elements)
        for (Dim &element : *elements) {
            if (element.isConstant())
                element = wrapToType(element.value(), *to);
            else if (*to != DType::Int64 && *to != DType::Int32)
                return result(*to, use.dims(0));
        }
    return result(*to, use.dims(0), std::move(elements));
}

template <auto F> void applyFloats(const WideTensor &x, WideTensor &y, double a, double b, ThreadPool &pool) {
    inParts(pool, static_cast<int64_t>(x.floats.size()), 4, [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) y.floats[i] = F(x.floats[i], a, b);
    });
}

/// F(double x, double a, double b), I the same of integers or null; `a` and `b` are the operator's attributes, in the
/// order of its entry.
template <auto F, auto I>
Evaluated evaluateUnary(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const WideTensor &x = *inputs[0];
    const std::vector<AttributeSpec> &specs = use.of().attributes;
    const double a = specs.empty() ? 0 : use.number(specs[0].name);
    const double b = specs.size() < 2 ? 0 : use.number(specs[1].name);
    WideTensor y = WideTensor::zeros(x.dtype, x.dims);
    if (isFloat(x.dtype))
        applyFloats<F>(x, y, a, b, pool);
    else if constexpr (!std::is_null_pointer_v<decltype(I)>)
        for (size_t i = 0; i < x.integers.size(); ++i) y.integers[i] = wrapToType(I(x.integers[i], a, b), x.dtype);
    return single(std::move(y));
}

Evaluated evaluateIdentity(const OperatorUse &, std::span<const WideTensor *const> inputs, ThreadPool &) {
    return single(*inputs[0]);
}

Evaluated evaluateCast(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &) {
    const WideTensor &x = *inputs[0];
    const auto to = dtypeFromName(use.text("to"));
    if (!to) return refusal(use, "there is no element type '{}' to convert to", use.text("to"));
    WideTensor y = WideTensor::zeros(*to, x.dims);
    for (size_t i = 0; i < x.size(); ++i) {
        if (isFloat(*to))
            y.floats[i] = roundToType(isFloat(x.dtype) ? x.floats[i] : static_cast<double>(x.integers[i]), *to);
        else if (!isFloat(x.dtype))
            y.integers[i] = wrapToType(x.integers[i], *to);
        else if (*to == DType::Bool)
            y.integers[i] = x.floats[i] != 0 ? 1 : 0;
        else
            y.integers[i] = wrapToType(truncated(roundToType(x.floats[i], x.dtype)), *to);
    }
    return single(std::move(y));
}

/// Where the limits have changed places, the upper one holds.
double clipFloat(double x, double a, double b) { return lesserOf(greaterOf(x, a), b); }

Evaluated evaluateClip(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    const WideTensor &x = *inputs[0];
    if (isFloat(x.dtype)) return evaluateUnary<clipFloat, nullptr>(use, inputs, pool);
    const IntegerLimits limits = integerLimits(use.node(), x.dtype);
    WideTensor y = WideTensor::zeros(x.dtype, x.dims);
    for (size_t i = 0; i < x.integers.size(); ++i)
        y.integers[i] = std::min(std::max(x.integers[i], limits.least), limits.most);
    return single(std::move(y));
}
double sigmoidOf(double x, double, double) { return 1 / (1 + std::exp(-x)); }
double signOf(double x, double, double) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; } // what is no number stays so
int64_t integerSignOf(int64_t x, double, double) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double softplusOf(double x, double, double) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

template <Takes takes, auto F, auto I = nullptr> Operator unary(const char *name, const char *doc) {
    return {.name = name,
            .doc = doc,
            .inputs = {needed("x")},
            .attributes = {},
            .pattern = PatternKind::Elementwise,
            .infer = inferUnary<takes>,
            .evaluate = evaluateUnary<F, I>};
}

Operator with(Operator of, std::vector<AttributeSpec> attributes) {
    of.attributes = std::move(attributes);
    return of;
}

} // namespace

OperatorTable elementwiseOperators() {
    const double infinity = std::numeric_limits<double>::infinity();
    using enum Takes;
    OperatorTable table = {
        unary<Numbers, [](double x, double, double) { return x < 0 ? 0 : x; },
              [](int64_t x, double, double) { return x < 0 ? 0 : x; }>("relu", "What is below zero becomes zero."),
        with(unary<Floats, [](double x, double a, double) { return x < 0 ? a * x : x; }>(
                 "leaky_relu", "What is below zero is multiplied by a small slope."),
             {number("alpha", 0.01, "slope below zero")}),
        with(unary<Floats, [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }>(
                 "elu", "Below zero alpha * (e^x - 1), x above."),
             {number("alpha", 1.0, "limit far below zero, negated")}),
        unary<Floats, sigmoidOf>("sigmoid", "1 / (1 + e^-x)."),
        unary<Floats, [](double x, double, double) { return std::tanh(x); }>("tanh", "Hyperbolic tangent."),
        unary<Floats, [](double x, double, double) { return std::exp(x); }>("exp", "e^x."),
        unary<Floats, [](double x, double, double) { return std::log(x); }>("log", "Natural logarithm."),
        unary<Floats, [](double x, double, double) { return std::sqrt(x); }>("sqrt", "Square root."),
        unary<Numbers, [](double x, double, double) { return -x; },
              [](int64_t x, double, double) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }>(
            "neg", "Sign changed."),
        unary<Numbers, [](double x, double, double) { return std::fabs(x); },
              [](int64_t x, double, double) { return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x; }>(
            "abs", "Absolute value."),
        unary<Floats, [](double x, double, double) { return 1 / x; }>("reciprocal", "1 / x."),
        unary<Floats, [](double x, double, double) { return std::erf(x); }>("erf", "Error function of Gauss."),
        unary<Floats, [](double x, double, double) { return std::floor(x); }>("floor", "Rounded down."),
        unary<Floats, [](double x, double, double) { return std::ceil(x); }>("ceil", "Rounded up."),
        unary<Floats, [](double x, double, double) { return std::nearbyint(x); }>(
            "round", "Rounded to the nearest integer, halves to the even one."),
        unary<Numbers, signOf, integerSignOf>("sign", "-1, 0 or 1."),
        unary<Floats, [](double x, double, double) { return std::sin(x); }>("sin", "Sine of an angle in radians."),
        unary<Floats, [](double x, double, double) { return std::cos(x); }>("cos", "Cosine of an angle in radians."),
        unary<Bools, [](double x, double, double) { return x; },
              [](int64_t x, double, double) -> int64_t { return x == 0 ? 1 : 0; }>(
            "not", "True becomes false and false becomes true."),
        unary<All, [](double x, double, double) { return x; }>("identity", "The input itself."),
        unary<Floats, softplusOf>("softplus", "ln(1 + e^x), a smooth relu."),
        with(unary<Floats, [](double x, double a, double b) { return clipFloat(a * x + b, 0, 1); }>(
                 "hard_sigmoid", "alpha * x + beta, kept between 0 and 1."),
             {number("alpha", 0.2, "slope"), number("beta", 0.5, "value at 0")}),
        unary<Floats, [](double x, double, double) { return x * clipFloat(x / 6 + 0.5, 0, 1); }>(
            "hard_swish", "x times x / 6 + 1/2 kept between 0 and 1."),
        unary<Floats, [](double x, double, double) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }>(
            "gelu", "x times the normal distribution at x, by the error function."),
        with(unary<Numbers, clipFloat>("clip", "Kept between two limits; where `min` is above `max`, it is `max`."),
             {number("min", -infinity, "least"), number("max", infinity, "greatest")}),
        {.name = "cast",
         .doc = "Converted to another element type.",
         .inputs = {needed("x")},
         .attributes = {text("to", "float32", "name of the element type")},
         .pattern = PatternKind::Elementwise,
         .infer = inferCast,
         .evaluate = evaluateCast}};
    for (Operator &of : table) {
        if (of.name == "neg") of.infer = inferNegated;
        if (of.name == "clip") of.evaluate = evaluateClip;
        if (of.name != "identity") continue;
        of.infer = inferIdentity;
        of.evaluate = evaluateIdentity;
    }
    return table;
}

} // namespace loopscope
