// One value in, one value out. Where TVM's importer writes an operator as several (hard_sigmoid), so does this: the
// stages are inlined anyway, and the key is that of its tasks.

#include "networks/op/clip_limits.h"
#include "networks/op_compute/emission.h"

#include "language/expr/interval.h"

#include <fmt/format.h>
#include <limits>

namespace loopscope {

namespace {

std::vector<const Tensor *> mapped(Emission &e, const std::string &name, const std::function<Expr(Expr)> &of) {
    const Tensor &x = e.input();
    return {&e.compute(
        name, x.shape, [&](const std::vector<Expr> &index) { return of(load(x, index)); }, "ax", "elemwise")};
}

Expr number(double value, Expr like) { return constantOf(value, like->dtype); }
Expr isAbove(Expr a, Expr b) { return makeBinary(ExprKind::Gt, a, b); }

void needFloat(Emission &e) {
    if (!isFloat(e.input().dtype))
        e.refuse(fmt::format("it is computed for floats, not for {}", dtypeName(e.input().dtype)));
}

/// Limits that no value is beyond do not count. The lower one is the outer one, as in TVM's texts, except where the
/// limits have changed places: then the upper one holds.
Expr limited(Expr x, Expr low, Expr high) {
    const bool integers = low->kind == ExprKind::IntImm;
    const Interval all = integers ? Interval::ofType(low->dtype) : Interval();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const bool above = integers ? low->intValue > all.min : low->floatValue != -kInfinity;
    const bool below = integers ? high->intValue < all.max : high->floatValue != kInfinity;
    const bool crossed = integers ? low->intValue > high->intValue : low->floatValue > high->floatValue;
    if (crossed && above) x = maxOf(x, low);
    if (below) x = minOf(x, high);
    if (!crossed && above) x = maxOf(x, low);
    return x;
}

const Tensor &clipped(Emission &e, const Tensor &x, Expr low, Expr high) {
    return e.compute(
        "compute", x.shape, [&](const std::vector<Expr> &index) { return limited(load(x, index), low, high); }, "i",
        "elemwise");
}

std::vector<const Tensor *> clip(Emission &e) {
    const DType type = e.input().dtype;
    if (isFloat(type))
        return {
            &clipped(e, e.input(), constantOf(e.use().number("min"), type), constantOf(e.use().number("max"), type))};
    const IntegerLimits limits = integerLimits(e.use().node(), type);
    return {&clipped(e, e.input(), makeInt(limits.least, type), makeInt(limits.most, type))};
}

/// x * alpha + beta, between 0 and 1.
const Tensor &slope(Emission &e, double alpha, double beta) {
    needFloat(e);
    const Tensor &x = e.input();
    const Tensor &scaled = e.call("multiply", {&x, &e.literal(alpha, x.dtype)});
    return clipped(e, e.call("add", {&scaled, &e.literal(beta, x.dtype)}), constantOf(0, x.dtype),
                   constantOf(1, x.dtype));
}
std::vector<const Tensor *> hardSigmoid(Emission &e) {
    return {&slope(e, e.use().number("alpha"), e.use().number("beta"))};
}
std::vector<const Tensor *> hardSwish(Emission &e) {
    const Tensor &gate = slope(e, 1.0 / 6.0, 0.5);
    return {&e.call("multiply", {&e.input(), &gate})};
}

std::vector<const Tensor *> relu(Emission &e) { return {&e.call("relu", {&e.input()})}; }
std::vector<const Tensor *> leakyRelu(Emission &e) {
    return {&e.call("leaky_relu", {&e.input()}, {{"alpha", e.use().number("alpha")}})};
}
std::vector<const Tensor *> elu(Emission &e) {
    needFloat(e);
    return mapped(e, "T_elu", [&](Expr x) {
        const Expr below = number(e.use().number("alpha"), x) * (callMath(Intrinsic::Exp, x) - number(1, x));
        return select(isAbove(x, number(0, x)), x, below);
    });
}
std::vector<const Tensor *> gelu(Emission &e) { return {&e.call("gelu", {&e.input()})}; }

template <Intrinsic Function> std::vector<const Tensor *> function(Emission &e) {
    return {&e.call(intrinsicName(Function), {&e.input()})};
}

std::vector<const Tensor *> negative(Emission &e) {
    // From -0, or the negative of 0 would be 0.
    return mapped(e, "T_negative",
                  [](Expr x) { return makeBinary(ExprKind::Sub, number(isFloat(x->dtype) ? -0.0 : 0, x), x); });
}
std::vector<const Tensor *> absolute(Emission &e) {
    if (isFloat(e.input().dtype)) return {&e.call("abs", {&e.input()})};
    return mapped(e, "T_abs", [](Expr x) {
        return isUnsigned(x->dtype)
                   ? x
                   : select(makeBinary(ExprKind::Ge, x, number(0, x)), x, makeBinary(ExprKind::Sub, number(0, x), x));
    });
}
std::vector<const Tensor *> reciprocal(Emission &e) {
    needFloat(e);
    return {&e.call("divide", {&e.literal(1, e.input().dtype), &e.input()})};
}
/// From here on a type holds nothing but whole numbers.
double wholeFrom(DType type) {
    switch (type) {
    case DType::BFloat16:
        return 0x1p7;
    case DType::Float16:
        return 0x1p10;
    case DType::Float32:
        return 0x1p23;
    default:
        return 0x1p52;
    }
}

/// Halves to the even neighbour; the intrinsic takes them away from zero. What is whole already stays, infinity too.
std::vector<const Tensor *> roundEven(Emission &e) {
    needFloat(e);
    return mapped(e, "T_round", [](Expr x) {
        const Expr below = callMath(Intrinsic::Floor, x);
        const Expr rest = x - below;
        const Expr odd = below - number(2, x) * callMath(Intrinsic::Floor, below * number(0.5, x));
        const Expr up = below + number(1, x);
        const Expr half = number(0.5, x);
        const Expr near = select(isAbove(rest, half), up, select(isAbove(half, rest), below, below + odd));
        return select(isAbove(number(wholeFrom(x->dtype), x), callMath(Intrinsic::Fabs, x)), near, x);
    });
}
std::vector<const Tensor *> sign(Emission &e) {
    return mapped(e, "T_sign", [](Expr x) {
        const Expr rest = isFloat(x->dtype) ? x : number(0, x); // zero, or no number
        const Expr notAbove =
            isUnsigned(x->dtype) ? rest : select(makeBinary(ExprKind::Lt, x, number(0, x)), number(-1, x), rest);
        return select(isAbove(x, number(0, x)), number(1, x), notAbove);
    });
}
std::vector<const Tensor *> logicalNotOf(Emission &e) {
    return mapped(e, "T_logical_not", [](Expr x) { return logicalNot(x); });
}
std::vector<const Tensor *> softplus(Emission &e) {
    needFloat(e);
    return mapped(e, "T_softplus", [](Expr x) {
        const Expr away = number(0, x) - callMath(Intrinsic::Fabs, x);
        return maxOf(x, number(0, x)) + callMath(Intrinsic::Log, number(1, x) + callMath(Intrinsic::Exp, away));
    });
}
std::vector<const Tensor *> castTensor(Emission &e) {
    const DType type = e.outType();
    return mapped(e, "T_cast", [&](Expr x) {
        return type == DType::Bool && x->dtype != type ? makeBinary(ExprKind::Ne, x, number(0, x)) : castTo(type, x);
    });
}
std::vector<const Tensor *> identity(Emission &e) {
    return mapped(e, "T_identity", [](Expr x) { return x; });
}
std::vector<const Tensor *> dropout(Emission &e) {
    std::vector<const Tensor *> all = identity(e);
    if (e.outputCount() > 1)
        all.push_back(
            &e.compute("T_full", e.outDims(1), [&](const std::vector<Expr> &) { return constantOf(1, e.outType(1)); }));
    return all;
}

} // namespace

EmitTable elementwiseEmissions() {
    return {{"relu", relu},
            {"leaky_relu", leakyRelu},
            {"elu", elu},
            {"sigmoid", function<Intrinsic::Sigmoid>},
            {"tanh", function<Intrinsic::Tanh>},
            {"exp", function<Intrinsic::Exp>},
            {"log", function<Intrinsic::Log>},
            {"sqrt", function<Intrinsic::Sqrt>},
            {"erf", function<Intrinsic::Erf>},
            {"floor", function<Intrinsic::Floor>},
            {"ceil", function<Intrinsic::Ceil>},
            {"sin", function<Intrinsic::Sin>},
            {"cos", function<Intrinsic::Cos>},
            {"neg", negative},
            {"abs", absolute},
            {"reciprocal", reciprocal},
            {"round", roundEven},
            {"sign", sign},
            {"not", logicalNotOf},
            {"identity", identity},
            {"dropout", dropout},
            {"softplus", softplus},
            {"hard_sigmoid", hardSigmoid},
            {"hard_swish", hardSwish},
            {"gelu", gelu},
            {"clip", clip},
            {"cast", castTensor}};
}

} // namespace loopscope
