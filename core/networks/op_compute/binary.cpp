// Two tensors and more with broadcasting.

#include "networks/op_compute/emission.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

using Combine = std::function<Expr(Expr, Expr)>;

std::vector<const Tensor *> broadcastTwo(Emission &e, const std::string &name, const Combine &combine) {
    const std::vector<int64_t> shape = e.outDims();
    return {&e.compute(
        name, shape,
        [&](const std::vector<Expr> &index) {
            return combine(loadBroadcast(e.input(0), shape, index), loadBroadcast(e.input(1), shape, index));
        },
        "ax", "broadcast")};
}

std::vector<const Tensor *> libraryTwo(Emission &e, std::string_view name) {
    return {&e.call(name, {&e.input(0), &e.input(1)})};
}

std::vector<const Tensor *> kindTwo(Emission &e, ExprKind kind, const std::string &name) {
    return broadcastTwo(e, name, [kind](Expr a, Expr b) { return makeBinary(kind, a, b); });
}

/// Of an integer, by as few products as there are bits: a float64 does not have all digits of an int64.
Expr wholePower(Expr base, int64_t exponent) {
    Expr result;
    for (Expr square = base; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result = result ? makeBinary(ExprKind::Mul, result, square) : square;
        if (exponent > 1) square = makeBinary(ExprKind::Mul, square, square);
    }
    return result ? result : constantOf(1, base->dtype);
}

std::vector<const Tensor *> power(Emission &e) {
    // A literal: what is an argument of the kernel has to be read.
    const HostTensor *exponent = e.input(1).op->isPlaceholder() ? nullptr : e.use().constant(1);
    if (isInteger(e.input(0).dtype) && exponent && isInteger(exponent->dtype()) && exponent->elements() == 1 &&
        exponent->integer(0) >= 0 && exponent->integer(0) <= 64)
        return broadcastTwo(e, "T_power", [&](Expr a, Expr) { return wholePower(a, exponent->integer(0)); });
    return broadcastTwo(e, "T_power", [&](Expr a, Expr b) {
        const DType type = isFloat(a->dtype) ? a->dtype : DType::Float64;
        const Expr parts[] = {castTo(type, a), castTo(type, b)};
        return castTo(a->dtype, makeCall(Intrinsic::Pow, type, parts));
    });
}

/// Some element of the divisor may be 0, by which a quotient is 0, and so is what is left
/// (networks/op/integer_division.h).
bool mayDivideByZero(Emission &e) {
    const auto elements = e.use().elements(1);
    const auto known = elements ? constantDims(*elements) : std::nullopt;
    return !isFloat(e.input(1).dtype) && (!known || std::find(known->begin(), known->end(), 0) != known->end());
}

std::vector<const Tensor *> quotient(Emission &e) {
    if (!mayDivideByZero(e)) return libraryTwo(e, "divide");
    return broadcastTwo(e, "T_divide", [](Expr a, Expr b) {
        const Expr zero = zeroOf(a->dtype);
        return select(makeBinary(ExprKind::Eq, b, zero), zero, makeBinary(ExprKind::Div, a, b));
    });
}

std::vector<const Tensor *> modulo(Emission &e) {
    const bool asC = e.use().integer("fmod") != 0;
    const bool mayFail = mayDivideByZero(e);
    return broadcastTwo(e, "T_mod", [&](Expr a, Expr b) {
        const Expr parts[] = {a, b};
        const Expr zero = zeroOf(a->dtype);
        Expr rest = isFloat(a->dtype) ? makeCall(Intrinsic::Fmod, a->dtype, parts) : makeBinary(ExprKind::Mod, a, b);
        if (mayFail) rest = select(makeBinary(ExprKind::Eq, b, zero), zero, rest);
        if (asC || isUnsigned(a->dtype)) return rest;
        const auto below = [&](Expr x) { return makeBinary(ExprKind::Lt, x, zero); };
        // Of the other sign than the divisor: once more.
        const Expr other = makeBinary(ExprKind::Ne, below(rest), below(b));
        return select(logicalAnd(makeBinary(ExprKind::Ne, rest, zero), other), makeBinary(ExprKind::Add, rest, b),
                      rest);
    });
}

std::vector<const Tensor *> prelu(Emission &e) {
    return broadcastTwo(e, "T_prelu", [](Expr x, Expr slope) {
        return select(makeBinary(ExprKind::Gt, x, zeroOf(x->dtype)), x, x * slope);
    });
}

std::vector<const Tensor *> where(Emission &e) {
    const std::vector<int64_t> shape = e.outDims();
    return {&e.compute(
        "T_where", shape,
        [&](const std::vector<Expr> &index) {
            return select(loadBroadcast(e.input(0), shape, index), loadBroadcast(e.input(1), shape, index),
                          loadBroadcast(e.input(2), shape, index));
        },
        "ax", "broadcast")};
}

std::vector<const Tensor *> addAll(Emission &e) {
    const Tensor *sum = &e.input(0);
    if (e.inputCount() == 1)
        return {&e.compute(
            "T_identity", sum->shape, [&](const std::vector<Expr> &index) { return load(*sum, index); }, "ax",
            "elemwise")};
    for (size_t i = 1; i < e.inputCount(); ++i) sum = &e.call("add", {sum, &e.input(i)});
    return {sum};
}

/// Along one dimension; the bias is [C], or of all dimensions where it is an input of the kernel.
std::vector<const Tensor *> biasAdd(Emission &e) {
    const Tensor &x = e.input(0);
    const Tensor &bias = e.input(1);
    const auto axis = axisIn(e.use().integer("axis"), x.shape.size());
    if (!axis) e.refuse(fmt::format("its axis {} is outside of the data", e.use().integer("axis")));
    if (bias.shape.size() > 1 || *axis + 1 == x.shape.size()) return {&e.call("add", {&x, &bias})};
    return {&e.compute(
        "T_add", x.shape, [&](const std::vector<Expr> &index) { return load(x, index) + load(bias, {index[*axis]}); },
        "ax", "broadcast")};
}

} // namespace

EmitTable binaryEmissions() {
    return {{"add", [](Emission &e) { return libraryTwo(e, "add"); }},
            {"sub", [](Emission &e) { return libraryTwo(e, "subtract"); }},
            {"mul", [](Emission &e) { return libraryTwo(e, "multiply"); }},
            {"div", quotient},
            {"maximum", [](Emission &e) { return libraryTwo(e, "maximum"); }},
            {"minimum", [](Emission &e) { return libraryTwo(e, "minimum"); }},
            {"pow", power},
            {"mod", modulo},
            {"equal", [](Emission &e) { return kindTwo(e, ExprKind::Eq, "T_equal"); }},
            {"less", [](Emission &e) { return kindTwo(e, ExprKind::Lt, "T_less"); }},
            {"greater", [](Emission &e) { return kindTwo(e, ExprKind::Gt, "T_greater"); }},
            {"less_equal", [](Emission &e) { return kindTwo(e, ExprKind::Le, "T_less_equal"); }},
            {"greater_equal", [](Emission &e) { return kindTwo(e, ExprKind::Ge, "T_greater_equal"); }},
            {"and", [](Emission &e) { return kindTwo(e, ExprKind::And, "T_logical_and"); }},
            {"or", [](Emission &e) { return kindTwo(e, ExprKind::Or, "T_logical_or"); }},
            {"xor", [](Emission &e) { return kindTwo(e, ExprKind::Ne, "T_logical_xor"); }},
            {"prelu", prelu},
            {"where", where},
            {"add_n", addAll},
            {"bias_add", biasAdd}};
}

} // namespace loopscope
