// One value in, one value out: activations and math functions; two tensors with broadcasting; bias per channel.

#include "language/te/operators/building.h"
#include "language/te/operators/families.h"

#include <algorithm>

namespace loopscope {

namespace {

const Tensor *mapValues(OperatorCall &call, const std::string &name, Expr (*map)(OperatorCall &, Expr)) {
    const Tensor &data = call.tensor("data");
    const std::vector<Axis> axes = numberedAxes("ax", data.shape);
    return &call.addOp(
        makeCompute(call.resultName(name), axes, {map(call, load(data, axes))}, std::nullopt, {}, "elemwise"));
}

template <Intrinsic Function> const Tensor *mathFunction(OperatorCall &call) {
    call.require(isFloat(call.tensor("data").dtype), "the data need a float type");
    const std::string name = Function == Intrinsic::Fabs ? "abs" : std::string(intrinsicName(Function));
    return mapValues(call, "T_" + name, [](OperatorCall &, Expr x) { return callMath(Function, x); });
}

/// The benchmark workloads' relu is an unnamed compute over i0, i1, ...
const Tensor *relu(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    const bool benchmark = call.benchmarkStyle();
    const std::vector<Axis> axes = numberedAxes(benchmark ? "i" : "ax", data.shape);
    return &call.addOp(makeCompute(call.resultName(benchmark ? "compute" : "T_relu"), axes,
                                   {maxOf(load(data, axes), zeroOf(data.dtype))}, std::nullopt, {}, "elemwise"));
}

const Tensor *leakyRelu(OperatorCall &call) {
    call.require(isFloat(call.tensor("data").dtype), "the data need a float type");
    return mapValues(call, "T_leaky_relu", [](OperatorCall &c, Expr x) {
        const Expr scaled = x * constantOf(c.number("alpha"), x->dtype);
        return select(makeBinary(ExprKind::Gt, x, zeroOf(x->dtype)), x, scaled);
    });
}

const Tensor *clip(OperatorCall &call) {
    call.require(call.number("low") <= call.number("high"), "`low` is above `high`");
    return mapValues(call, "T_clip", [](OperatorCall &c, Expr x) {
        return maxOf(minOf(x, constantOf(c.number("high"), x->dtype)), constantOf(c.number("low"), x->dtype));
    });
}

const Tensor *gelu(OperatorCall &call) {
    call.require(isFloat(call.tensor("data").dtype), "the data need a float type");
    return mapValues(call, "T_gelu", [](OperatorCall &, Expr x) {
        const auto constant = [&](double value) { return constantOf(value, x->dtype); };
        return x * constant(0.5) * (constant(1) + callMath(Intrinsic::Erf, x * constant(0.70710678118654752)));
    });
}

/// Shapes aligned at their last dimensions; an extent of 1 stretches.
const Tensor *broadcast(OperatorCall &call, const std::string &name, Expr (*combine)(Expr, Expr)) {
    const Tensor &a = call.tensor("a");
    const Tensor &b = call.tensor("b");
    call.require(a.dtype == b.dtype,
                 "the types differ: " + std::string(dtypeName(a.dtype)) + " and " + std::string(dtypeName(b.dtype)));
    const size_t rank = std::max(a.shape.size(), b.shape.size());
    const auto extent = [rank](const Tensor &tensor, size_t d) {
        const size_t missing = rank - tensor.shape.size();
        return d < missing ? int64_t{1} : tensor.shape[d - missing];
    };
    std::vector<int64_t> shape;
    for (size_t d = 0; d < rank; ++d) {
        const int64_t x = extent(a, d);
        const int64_t y = extent(b, d);
        call.require(x == y || x == 1 || y == 1, "extents " + std::to_string(x) + " and " + std::to_string(y) +
                                                     " of dimension " + std::to_string(d) + " do not broadcast");
        shape.push_back(std::max(x, y));
    }
    const std::vector<Axis> axes = numberedAxes("ax", shape);
    const auto value = [&](const Tensor &tensor) {
        std::vector<Expr> index;
        const size_t missing = rank - tensor.shape.size();
        for (size_t d = missing; d < rank; ++d)
            index.push_back(tensor.shape[d - missing] == shape[d] ? axes[d].var : makeInt(0));
        return load(tensor, index);
    };
    return &call.addOp(
        makeCompute(call.resultName(name), axes, {combine(value(a), value(b))}, std::nullopt, {}, "broadcast"));
}
const Tensor *add(OperatorCall &call) {
    return broadcast(call, "T_add", [](Expr a, Expr b) { return a + b; });
}
const Tensor *subtract(OperatorCall &call) {
    return broadcast(call, "T_subtract", [](Expr a, Expr b) { return a - b; });
}
const Tensor *multiply(OperatorCall &call) {
    return broadcast(call, "T_multiply", [](Expr a, Expr b) { return a * b; });
}
const Tensor *divideOp(OperatorCall &call) {
    return broadcast(call, "T_divide", [](Expr a, Expr b) { return divide(a, b); });
}
const Tensor *maximum(OperatorCall &call) {
    return broadcast(call, "T_maximum", [](Expr a, Expr b) { return maxOf(a, b); });
}
const Tensor *minimum(OperatorCall &call) {
    return broadcast(call, "T_minimum", [](Expr a, Expr b) { return minOf(a, b); });
}

/// bias[C] added along one dimension; axes i, j, k, l as the benchmark workloads name them.
const Tensor *biasAdd(OperatorCall &call) {
    call.requireRank("bias", 1, "C");
    const Tensor &data = call.tensor("data");
    const Tensor &bias = call.tensor("bias");
    const auto rank = static_cast<int64_t>(data.shape.size());
    const int64_t axis = call.integer("axis") < 0 ? call.integer("axis") + rank : call.integer("axis");
    call.require(axis >= 0 && axis < rank, "`axis` is outside of the " + std::to_string(rank) + " dimensions");
    const auto dim = static_cast<size_t>(axis);
    call.require(bias.shape[0] == data.shape[dim], "the bias has " + std::to_string(bias.shape[0]) + " values for " +
                                                       std::to_string(data.shape[dim]) + " channels");
    call.require(bias.dtype == data.dtype, "data and bias have different types");
    std::vector<Axis> axes;
    if (data.shape.size() <= 4) {
        for (size_t d = 0; d < data.shape.size(); ++d)
            axes.push_back(makeAxis(std::string(1, static_cast<char>('i' + d)), data.shape[d]));
    } else {
        axes = numberedAxes("i", data.shape);
    }
    return &call.addOp(
        makeCompute(call.resultName("bias_add"), axes, {load(data, axes) + load(bias, {axes[dim].var})}));
}

/// Stretches the data to a shape (T_broadcast_to).
const Tensor *broadcastTo(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    const std::vector<int64_t> shape = call.integers("shape");
    call.require(shape.size() >= data.shape.size(), "the shape has fewer dimensions than the data");
    const size_t missing = shape.size() - data.shape.size();
    for (size_t d = 0; d < shape.size(); ++d) {
        call.require(shape[d] >= 1, "an extent is at least 1");
        call.require(d < missing || data.shape[d - missing] == shape[d] || data.shape[d - missing] == 1,
                     "dimension " + std::to_string(d) + " cannot be stretched to " + std::to_string(shape[d]));
    }
    const std::vector<Axis> axes = numberedAxes("ax", shape);
    std::vector<Expr> index;
    for (size_t d = missing; d < shape.size(); ++d)
        index.push_back(data.shape[d - missing] == shape[d] ? axes[d].var : makeInt(0));
    return &call.addOp(
        makeCompute(call.resultName("T_broadcast_to"), axes, {load(data, index)}, std::nullopt, {}, "broadcast"));
}

const Tensor *castOp(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    const DType type = outType(call, data);
    const std::vector<Axis> axes = numberedAxes("ax", data.shape);
    return &call.addOp(
        makeCompute(call.resultName("T_cast"), axes, {castTo(type, load(data, axes))}, std::nullopt, {}, "elemwise"));
}

} // namespace

const std::vector<OperatorSpec> &elementwiseSpecs() {
    const std::vector<OperatorArg> one = {tensorArg("data")};
    const std::vector<OperatorArg> two = {tensorArg("a"), tensorArg("b")};
    static const std::vector<OperatorSpec> table = {
        {"relu", "max(data, 0)", {tensorArg("data"), styleArg()}, relu},
        {"leaky_relu",
         "data where positive, alpha * data elsewhere",
         {tensorArg("data"), {"alpha", ArgKind::Number, 0.01, false}},
         leakyRelu},
        {"clip",
         "data limited to low .. high",
         {tensorArg("data"), {"low", ArgKind::Number, {}, false}, {"high", ArgKind::Number, {}, false}},
         clip},
        {"gelu", "data * normal distribution function of data", one, gelu},
        {"exp", "exponential", one, mathFunction<Intrinsic::Exp>},
        {"log", "natural logarithm", one, mathFunction<Intrinsic::Log>},
        {"sqrt", "square root", one, mathFunction<Intrinsic::Sqrt>},
        {"rsqrt", "1 / square root", one, mathFunction<Intrinsic::Rsqrt>},
        {"tanh", "hyperbolic tangent", one, mathFunction<Intrinsic::Tanh>},
        {"sigmoid", "1 / (1 + exp(-data))", one, mathFunction<Intrinsic::Sigmoid>},
        {"erf", "error function", one, mathFunction<Intrinsic::Erf>},
        {"abs", "absolute value", one, mathFunction<Intrinsic::Fabs>},
        {"floor", "largest integer not above", one, mathFunction<Intrinsic::Floor>},
        {"ceil", "smallest integer not below", one, mathFunction<Intrinsic::Ceil>},
        {"round", "nearest integer", one, mathFunction<Intrinsic::Round>},
        {"sin", "sine", one, mathFunction<Intrinsic::Sin>},
        {"cos", "cosine", one, mathFunction<Intrinsic::Cos>},
        {"add", "a + b, broadcast", two, add},
        {"subtract", "a - b, broadcast", two, subtract},
        {"multiply", "a * b, broadcast", two, multiply},
        {"divide", "a / b, broadcast", two, divideOp},
        {"maximum", "larger of a and b, broadcast", two, maximum},
        {"minimum", "smaller of a and b, broadcast", two, minimum},
        {"bias_add",
         "data + bias[C] along one dimension",
         {tensorArg("data"), tensorArg("bias"), intArg("axis", 1)},
         biasAdd},
        {"broadcast_to",
         "data stretched to a shape",
         {tensorArg("data"), {"shape", ArgKind::Ints, {}, false}},
         broadcastTo},
        {"cast", "data as another type", {tensorArg("data"), {"out_dtype", ArgKind::Text, {}, false}}, castOp},
    };
    return table;
}

} // namespace loopscope
