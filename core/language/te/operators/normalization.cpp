// Softmax, layer normalisation, and the 2-norm of matrices.

#include "language/expr/half.h"
#include "language/te/operators/building.h"
#include "language/te/operators/families.h"
#include "language/te/operators/moments.h"

#include <functional>

namespace loopscope {

namespace {

size_t axisOf(const OperatorCall &call, const Tensor &data) {
    const auto rank = static_cast<int64_t>(data.shape.size());
    const int64_t given = call.integer("axis");
    const int64_t axis = given < 0 ? given + rank : given;
    call.require(axis >= 0 && axis < rank,
                 "`axis` = " + std::to_string(given) + " is outside of the " + std::to_string(rank) + " dimensions");
    return static_cast<size_t>(axis);
}

std::vector<int64_t> without(std::vector<int64_t> shape, size_t axis) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    return shape;
}

/// Indices of the full tensor from those without the axis.
std::vector<Expr> with(std::vector<Expr> index, size_t axis, Expr at) {
    index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), at);
    return index;
}

std::vector<Expr> dropped(std::vector<Expr> index, size_t axis) {
    index.erase(index.begin() + static_cast<std::ptrdiff_t>(axis));
    return index;
}

const Tensor *softmax(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    call.require(isFloat(data.dtype), "the data need a float type");
    const size_t axis = axisOf(call, data);
    const std::vector<int64_t> reducedShape = without(data.shape, axis);

    std::vector<Axis> axes = numberedAxes("i", reducedShape);
    Axis k = makeAxis("k", data.shape[axis]);
    const Tensor &largest =
        call.addOp(makeCompute("T_softmax_maxelem", axes, {load(data, with(varsOf(axes), axis, k.var))},
                               reductionOver(ReduceKind::Max, {k}, data.dtype)));
    // Of narrow types the exponentials and their sum are float32.
    const DType type = summedIn(data.dtype);
    axes = numberedAxes("i", data.shape);
    const Expr shifted = castTo(type, load(data, axes)) - castTo(type, load(largest, dropped(varsOf(axes), axis)));
    const Tensor &exponential = call.addOp(makeCompute("T_softmax_exp", axes, {callMath(Intrinsic::Exp, shifted)}));

    axes = numberedAxes("i", reducedShape);
    k = makeAxis("k", data.shape[axis]);
    const Tensor &sum =
        call.addOp(sumOp("T_softmax_expsum", axes, {k}, load(exponential, with(varsOf(axes), axis, k.var))));
    axes = numberedAxes("i", data.shape);
    const Expr share = divide(load(exponential, axes), load(sum, dropped(varsOf(axes), axis)));
    return &call.addOp(makeCompute(call.resultName("T_softmax_norm"), axes, {castTo(data.dtype, share)}, std::nullopt,
                                   {}, "softmax_output"));
}

/// (x - mean) / deviation from the sums of x and x*x in one pass, which is how TVM has it: a mean of 100 times the
/// deviation takes away four digits of float32. For keys of its logs.
std::function<Expr(Expr value, const std::vector<Expr> &row)> onePassNormal(OperatorCall &call, const Tensor &data,
                                                                            size_t axis, double epsilon) {
    const DType type = summedIn(data.dtype);
    const std::vector<Axis> axes = numberedAxes("ax", without(data.shape, axis));
    const Axis k = makeAxis("k" + std::to_string(axis), data.shape[axis]);
    const Expr value = castTo(type, load(data, with(varsOf(axes), axis, k.var)));
    const OpPtr sums = pairOfSums(data.op->name + "_red_temp", axes, {k}, value, value * value);
    call.addOp(sums);
    const Expr count = constantOf(static_cast<double>(data.shape[axis]), type);
    return [=](Expr x, const std::vector<Expr> &row) {
        const Expr average = divide(load(sums->output(0), row), count);
        const Expr variance = divide(load(sums->output(1), row), count) - average * average;
        return (x - average) * callMath(Intrinsic::Rsqrt, variance + constantOf(epsilon, type));
    };
}

const Tensor *layerNorm(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    const Tensor &gamma = call.tensor("gamma");
    const Tensor &beta = call.tensor("beta");
    call.require(isFloat(data.dtype) && gamma.dtype == data.dtype && beta.dtype == data.dtype,
                 "data, gamma and beta are of one float type");
    const size_t axis = axisOf(call, data);
    const int64_t extent = data.shape[axis];
    for (const std::string_view name : {"gamma", "beta"}) {
        call.requireRank(name, 1, "C");
        call.require(call.tensor(name).shape[0] == extent, "`" + std::string(name) + "` has " +
                                                               std::to_string(call.tensor(name).shape[0]) +
                                                               " values for an axis of " + std::to_string(extent));
    }
    std::vector<bool> reduced(data.shape.size(), false);
    reduced[axis] = true;
    const double epsilon = call.number("epsilon");
    const auto normal = call.integer("two_pass") == 0 ? onePassNormal(call, data, axis, epsilon)
                                                      : normalBy([&](OpPtr op) { call.addOp(std::move(op)); }, data,
                                                                 reduced, data.op->name, epsilon);
    const std::vector<Axis> axes = numberedAxes("ax", data.shape);
    const Expr value = normal(castTo(summedIn(data.dtype), load(data, axes)), dropped(varsOf(axes), axis));
    const Expr result = castTo(data.dtype, value) * load(gamma, {axes[axis].var}) + load(beta, {axes[axis].var});
    return &call.addOp(makeCompute(call.resultName("T_layer_norm"), axes, {result}, std::nullopt, {}, "injective"));
}

/// Square root of the sum of squares of each matrix.
const Tensor *matrixNorm(OperatorCall &call) {
    call.requireRank("data", 3, "B, M, N");
    const Tensor &data = call.tensor("data");
    call.require(isFloat(data.dtype), "the data need a float type");
    Axis b = makeAxis("b", data.shape[0]);
    const Axis i = makeAxis("i", data.shape[1]);
    const Axis j = makeAxis("j", data.shape[2]);
    const auto value = [&] { return castTo(summedIn(data.dtype), load(data, {b.var, i.var, j.var})); };
    const Tensor &sum = call.addOp(sumOp("C", {b}, {i, j}, value() * value()));
    b = makeAxis("b", data.shape[0]);
    const Expr root = callMath(Intrinsic::Sqrt, load(sum, {b.var}));
    return &call.addOp(makeCompute(call.resultName("D"), {b}, {castTo(data.dtype, root)}));
}

} // namespace

const std::vector<OperatorSpec> &normalizationSpecs() {
    static const std::vector<OperatorSpec> table = {
        {"softmax", "exp(data), normalised to sum 1 along an axis", {tensorArg("data"), intArg("axis", -1)}, softmax},
        {"layer_norm",
         "data normalised along an axis, times gamma plus beta",
         {tensorArg("data"),
          tensorArg("gamma"),
          tensorArg("beta"),
          intArg("axis", -1),
          {"epsilon", ArgKind::Number, 1e-5, false},
          intArg("two_pass", 1)},
         layerNorm},
        {"norm", "2-norm of every matrix of data[B, M, N]", {tensorArg("data")}, matrixNorm},
    };
    return table;
}

} // namespace loopscope
