#include "language/expr/extreme.h"
#include "networks/op/entry.h"
#include "networks/op/infer_rules.h"
#include "networks/op/integer_division.h"
#include "networks/op/strided_loop.h"

#include <array>
#include <cmath>
#include <numeric>

namespace loopscope {

namespace {

constexpr std::array<size_t, 2> kBoth = {0, 1};

/// Of tensors of rank 0 or 1 with known elements, an element of the result each; nothing when f knows none.
template <typename F> std::optional<Dims> elementsOfTwo(const OperatorUse &use, const F &f) {
    const auto a = use.elements(0);
    const auto b = use.elements(1);
    if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return std::nullopt;
    const size_t count = a->size() == 1 ? b->size() : a->size();
    Dims elements;
    for (size_t i = 0; i < count; ++i) {
        const std::optional<Dim> element = f((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
        if (!element) return std::nullopt;
        // Of numbers it is what the type holds; what symbols stand for fits, or there would be no such tensor.
        elements.push_back(element->isConstant() ? Dim(wrapToType(element->value(), use.dtype(0))) : *element);
    }
    return elements;
}

using OfDims = std::optional<Dim> (*)(const Dim &a, const Dim &b);

std::optional<Dim> addDims(const Dim &a, const Dim &b) { return a + b; }
std::optional<Dim> subDims(const Dim &a, const Dim &b) { return a - b; }
std::optional<Dim> mulDims(const Dim &a, const Dim &b) { return a * b; }
std::optional<Dim> divDims(const Dim &a, const Dim &b) {
    if (a.isConstant() && b.isConstant()) {
        if (b.value() == 0 || (a.value() == INT64_MIN && b.value() == -1)) return std::nullopt;
        return Dim(a.value() / b.value());
    }
    if (const auto exact = Dim::exactQuotient(a, b)) return exact;
    if (b.isConstant() && b.value() < 1) return std::nullopt;
    return Dim::floorDiv(a, b); // extents are not negative
}
std::optional<Dim> greaterDim(const Dim &a, const Dim &b) {
    const Dim difference = a - b;
    if (!difference.isConstant()) return std::nullopt;
    return difference.value() >= 0 ? a : b;
}
std::optional<Dim> lesserDim(const Dim &a, const Dim &b) {
    const Dim difference = a - b;
    if (!difference.isConstant()) return std::nullopt;
    return difference.value() <= 0 ? a : b;
}
std::optional<Dim> equalDims(const Dim &a, const Dim &b) {
    const auto equal = knownEqual(a, b);
    return equal ? std::optional<Dim>(*equal ? 1 : 0) : std::nullopt;
}
std::optional<Dim> noDim(const Dim &, const Dim &) { return std::nullopt; }

enum class Operands : uint8_t { Numbers, Bools, All };

template <Operands operands, bool toBool, OfDims F> Inferred inferTwo(const OperatorUse &use) {
    if (operands == Operands::Numbers)
        if (Checked wrong = wantNumeric(use, 0)) return *wrong;
    if (operands == Operands::Bools)
        if (Checked wrong = wantBool(use, 0)) return *wrong;
    if (Checked wrong = wantSameType(use, kBoth)) return *wrong;
    Outcome<Dims> dims = broadcastDims(use, kBoth);
    if (!dims) return dims.refusal();
    return result(toBool ? DType::Bool : use.dtype(0), std::move(dims).value(), elementsOfTwo(use, F));
}

/// The exponent may be of any type of numbers.
Inferred inferPow(const OperatorUse &use) {
    for (const size_t input : kBoth)
        if (Checked wrong = wantNumeric(use, input)) return *wrong;
    Outcome<Dims> dims = broadcastDims(use, kBoth);
    if (!dims) return dims.refusal();
    return result(use.dtype(0), std::move(dims).value());
}

Inferred inferPrelu(const OperatorUse &use) {
    if (Checked wrong = wantNumeric(use, 0)) return *wrong;
    if (Checked wrong = wantSameType(use, kBoth)) return *wrong;
    Outcome<Dims> dims = broadcastDims(use, kBoth);
    if (!dims) return dims.refusal();
    if (*dims != use.dims(0))
        return refusal(use, "slope {} does not broadcast to x {}", dimsText(use.dims(1)), dimsText(use.dims(0)));
    return result(use.dtype(0), use.dims(0));
}

Inferred inferWhere(const OperatorUse &use) {
    constexpr std::array<size_t, 2> kChoices = {1, 2};
    constexpr std::array<size_t, 3> kAll = {0, 1, 2};
    if (Checked wrong = wantBool(use, 0)) return *wrong;
    if (Checked wrong = wantSameType(use, kChoices)) return *wrong;
    Outcome<Dims> dims = broadcastDims(use, kAll);
    if (!dims) return dims.refusal();
    std::optional<Dims> elements;
    const auto condition = use.elements(0);
    const auto a = use.elements(1);
    const auto b = use.elements(2);
    if (condition && a && b && constantDims(*condition)) {
        elements.emplace();
        const auto [smallest, largest] = std::minmax({condition->size(), a->size(), b->size()});
        const size_t count = smallest == 0 ? 0 : largest; // one of no element broadcasts the others to none
        const auto at = [](const Dims &of, size_t i) { return of[of.size() == 1 ? 0 : i]; };
        for (size_t i = 0; i < count; ++i) elements->push_back(at(*condition, i) == Dim(0) ? at(*b, i) : at(*a, i));
    }
    if (elements && productOf(*dims) != Dim(static_cast<int64_t>(elements->size()))) elements.reset(); // of no element
    return result(use.dtype(1), std::move(dims).value(), std::move(elements));
}

Inferred inferAddN(const OperatorUse &use) {
    std::vector<size_t> all(use.inputCount());
    std::iota(all.begin(), all.end(), size_t{0});
    if (Checked wrong = wantNumeric(use, 0)) return *wrong;
    if (Checked wrong = wantSameType(use, all)) return *wrong;
    Outcome<Dims> dims = broadcastDims(use, all);
    if (!dims) return dims.refusal();
    return result(use.dtype(0), std::move(dims).value());
}

/// to[i] = f(a[i], b[i]) with broadcasting to the dims of `to`.
template <typename To, typename A, typename B, typename F>
void broadcastLoop(const std::vector<int64_t> &dims, std::vector<To> &to, const WideTensor &left,
                   const std::vector<A> &a, const WideTensor &right, const std::vector<B> &b, ThreadPool &pool,
                   const F &f) {
    const StridedLoop loop(dims,
                           {denseStrides(dims), broadcastStrides(left.dims, dims), broadcastStrides(right.dims, dims)});
    loop.run(pool, [&](const StridedLoop::Places &at, const StridedLoop::Places &step, int64_t count) {
        To *out = to.data() + at[0];
        const A *x = a.data() + at[1];
        const B *y = b.data() + at[2];
        if (step[0] == 1 && step[1] == 1 && step[2] == 1)
            for (int64_t i = 0; i < count; ++i) out[i] = f(x[i], y[i]);
        else
            for (int64_t i = 0; i < count; ++i) out[i * step[0]] = f(x[i * step[1]], y[i * step[2]]);
    });
}

/// F of doubles; I of int64, whose result is wrapped to the type.
template <auto F, auto I>
Evaluated evaluateTwo(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> to = emptyResult(use);
    if (!to) return to.refusal();
    const WideTensor &a = *inputs[0];
    const WideTensor &b = *inputs[1];
    if (isFloat(to->dtype))
        broadcastLoop(to->dims, to->floats, a, a.floats, b, b.floats, pool, F);
    else
        broadcastLoop(to->dims, to->integers, a, a.integers, b, b.integers, pool,
                      [type = to->dtype](int64_t x, int64_t y) { return wrapToType(I(x, y), type); });
    return single(std::move(to).value());
}

template <auto F>
Evaluated evaluateComparison(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> to = emptyResult(use);
    if (!to) return to.refusal();
    const WideTensor &a = *inputs[0];
    const WideTensor &b = *inputs[1];
    const auto holds = [](auto x, auto y) -> int64_t { return F(x, y) ? 1 : 0; };
    if (isFloat(a.dtype))
        broadcastLoop(to->dims, to->integers, a, a.floats, b, b.floats, pool, holds);
    else
        broadcastLoop(to->dims, to->integers, a, a.integers, b, b.integers, pool, holds);
    return single(std::move(to).value());
}

int64_t wrappedAdd(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrappedSub(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t wrappedMul(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t truncatedQuotient(int64_t a, int64_t b) { return b == -1 ? wrappedSub(0, a) : a / b; }
int64_t remainderOfC(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }
int64_t remainderOfB(int64_t a, int64_t b) {
    const int64_t rest = remainderOfC(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
int64_t integerPower(int64_t base, int64_t exponent) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    int64_t power = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) power = wrappedMul(power, base);
        base = wrappedMul(base, base);
    }
    return power;
}
double fmodOf(double a, double b) { return std::fmod(a, b); }
/// Of the sign of b, zero too.
double floorModOf(double a, double b) {
    const double rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(0.0, b);
    return (rest < 0) != (b < 0) ? rest + b : rest; // NaN stays NaN
}
double quotient(double a, double b) { return a / b; }

Checked wantDivisor(const OperatorUse &use, const WideTensor &divisor) {
    const auto zero = zeroAmong(divisor.integers, divisor.dims, use.of().inputs[1].name);
    return zero ? Checked(Refusal{divisionByZeroText(nodeText(use.node()), *zero)}) : std::nullopt;
}

Evaluated evaluateDiv(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    if (Checked wrong = wantDivisor(use, *inputs[1])) return *wrong;
    return evaluateTwo<quotient, truncatedQuotient>(use, inputs, pool);
}

Evaluated evaluateMod(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    if (Checked wrong = wantDivisor(use, *inputs[1])) return *wrong;
    return use.integer("fmod") != 0 ? evaluateTwo<fmodOf, remainderOfC>(use, inputs, pool)
                                    : evaluateTwo<floorModOf, remainderOfB>(use, inputs, pool);
}

Evaluated evaluatePow(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> to = emptyResult(use);
    if (!to) return to.refusal();
    const WideTensor &a = *inputs[0];
    const WideTensor &b = *inputs[1];
    const auto power = [](auto x, auto y) { return std::pow(static_cast<double>(x), static_cast<double>(y)); };
    const auto whole = [type = to->dtype](auto x, auto y) {
        if constexpr (std::is_same_v<decltype(y), int64_t>) return wrapToType(integerPower(x, y), type);
        return wrapToType(truncated(std::pow(static_cast<double>(x), static_cast<double>(y))), type);
    };
    if (isFloat(a.dtype) && isFloat(b.dtype))
        broadcastLoop(to->dims, to->floats, a, a.floats, b, b.floats, pool, power);
    else if (isFloat(a.dtype))
        broadcastLoop(to->dims, to->floats, a, a.floats, b, b.integers, pool, power);
    else if (isFloat(b.dtype))
        broadcastLoop(to->dims, to->integers, a, a.integers, b, b.floats, pool, whole);
    else
        broadcastLoop(to->dims, to->integers, a, a.integers, b, b.integers, pool, whole);
    return single(std::move(to).value());
}

Evaluated evaluateAddN(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> to = emptyResult(use);
    if (!to) return to.refusal();
    for (const WideTensor *term : inputs) {
        if (isFloat(to->dtype))
            broadcastLoop(to->dims, to->floats, *to, to->floats, *term, term->floats, pool, std::plus<>());
        else
            broadcastLoop(to->dims, to->integers, *to, to->integers, *term, term->integers, pool,
                          [type = to->dtype](int64_t x, int64_t y) { return wrapToType(wrappedAdd(x, y), type); });
    }
    return single(std::move(to).value());
}

Evaluated evaluateWhere(const OperatorUse &use, std::span<const WideTensor *const> inputs, ThreadPool &pool) {
    Outcome<WideTensor> to = emptyResult(use);
    if (!to) return to.refusal();
    const std::vector<int64_t> &dims = to->dims;
    const StridedLoop loop(dims, {denseStrides(dims), broadcastStrides(inputs[0]->dims, dims),
                                  broadcastStrides(inputs[1]->dims, dims), broadcastStrides(inputs[2]->dims, dims)});
    const auto choose = [&](auto *out, const auto *a, const auto *b) {
        const int64_t *condition = inputs[0]->integers.data();
        loop.run(pool, [&](const StridedLoop::Places &at, const StridedLoop::Places &step, int64_t count) {
            for (int64_t i = 0; i < count; ++i)
                out[at[0] + i * step[0]] =
                    condition[at[1] + i * step[1]] != 0 ? a[at[2] + i * step[2]] : b[at[3] + i * step[3]];
        });
    };
    if (isFloat(to->dtype))
        choose(to->floats.data(), inputs[1]->floats.data(), inputs[2]->floats.data());
    else
        choose(to->integers.data(), inputs[1]->integers.data(), inputs[2]->integers.data());
    return single(std::move(to).value());
}

using Evaluate = decltype(Operator::evaluate);
using Infer = decltype(Operator::infer);

Operator two(const char *name, const char *doc, Infer infer, Evaluate evaluate) {
    return {.name = name,
            .doc = doc,
            .inputs = {needed("a"), needed("b")},
            .attributes = {},
            .pattern = PatternKind::Broadcast,
            .infer = infer,
            .evaluate = evaluate};
}

constexpr auto kGreaterOf = [](auto a, auto b) { return greaterOf(a, b); };
constexpr auto kLesserOf = [](auto a, auto b) { return lesserOf(a, b); };
double slopedBelowZero(double x, double slope) { return x > 0 ? x : x * slope; }
int64_t integerSloped(int64_t x, int64_t slope) { return x < 0 ? wrappedMul(x, slope) : x; }

} // namespace

OperatorTable binaryOperators() {
    using enum Operands;
    OperatorTable table = {
        two("add", "Sum, with broadcasting.", inferTwo<Numbers, false, addDims>,
            evaluateTwo<std::plus<>{}, wrappedAdd>),
        two("sub", "Difference, with broadcasting.", inferTwo<Numbers, false, subDims>,
            evaluateTwo<std::minus<>{}, wrappedSub>),
        two("mul", "Product, with broadcasting.", inferTwo<Numbers, false, mulDims>,
            evaluateTwo<std::multiplies<>{}, wrappedMul>),
        two("div", "Quotient, with broadcasting; of integers rounded towards zero.", inferTwo<Numbers, false, divDims>,
            evaluateDiv),
        two("pow", "a to the power of b, with broadcasting; of the type of a.", inferPow, evaluatePow),
        two("maximum", "The greater of two, with broadcasting.", inferTwo<Numbers, false, greaterDim>,
            evaluateTwo<kGreaterOf, kGreaterOf>),
        two("minimum", "The lesser of two, with broadcasting.", inferTwo<Numbers, false, lesserDim>,
            evaluateTwo<kLesserOf, kLesserOf>),
        two("mod", "Remainder, with broadcasting; its sign is that of b, with fmod that of a.",
            inferTwo<Numbers, false, noDim>, evaluateMod),
        two("equal", "Whether a = b.", inferTwo<All, true, equalDims>, evaluateComparison<std::equal_to<>{}>),
        two("less", "Whether a < b.", inferTwo<Numbers, true, noDim>, evaluateComparison<std::less<>{}>),
        two("greater", "Whether a > b.", inferTwo<Numbers, true, noDim>, evaluateComparison<std::greater<>{}>),
        two("less_equal", "Whether a <= b.", inferTwo<Numbers, true, noDim>, evaluateComparison<std::less_equal<>{}>),
        two("greater_equal", "Whether a >= b.", inferTwo<Numbers, true, noDim>,
            evaluateComparison<std::greater_equal<>{}>),
        two("and", "Whether both are true.", inferTwo<Bools, true, noDim>, evaluateComparison<std::logical_and<>{}>),
        two("or", "Whether one of two is true.", inferTwo<Bools, true, noDim>, evaluateComparison<std::logical_or<>{}>),
        two("xor", "Whether exactly one of two is true.", inferTwo<Bools, true, noDim>,
            evaluateComparison<std::not_equal_to<>{}>),
        two("prelu", "What is below zero is multiplied by a slope of its own; the slope broadcasts to x.", inferPrelu,
            evaluateTwo<slopedBelowZero, integerSloped>),
        two("where", "a where the condition is true, b elsewhere, with broadcasting.", inferWhere, evaluateWhere),
        two("add_n", "Sum of any number of tensors, with broadcasting.", inferAddN, evaluateAddN)};
    for (Operator &of : table) {
        if (of.name == "mod") of.attributes = {integer("fmod", 0, "1: as fmod of C")};
        if (of.name == "prelu") of.inputs = {needed("x"), needed("slope")};
        if (of.name == "where") of.inputs = {needed("condition"), needed("a"), needed("b")};
        if (of.name == "add_n") of.inputs = {variadic("x")};
    }
    return table;
}

} // namespace loopscope
