// Softmax, layer normalisation, and the 2-norm of matrices.

#include "te/operators/building.h"
#include "te/operators/families.h"

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
    axes = numberedAxes("i", data.shape);
    const Expr shifted = load(data, axes) - load(largest, dropped(varsOf(axes), axis));
    const Tensor &exponential = call.addOp(makeCompute("T_softmax_exp", axes, {callMath(Intrinsic::Exp, shifted)}));

    axes = numberedAxes("i", reducedShape);
    k = makeAxis("k", data.shape[axis]);
    const Tensor &sum =
        call.addOp(sumOp("T_softmax_expsum", axes, {k}, load(exponential, with(varsOf(axes), axis, k.var))));
    axes = numberedAxes("i", data.shape);
    return &call.addOp(makeCompute(call.resultName("T_softmax_norm"), axes,
                                   {divide(load(exponential, axes), load(sum, dropped(varsOf(axes), axis)))},
                                   std::nullopt, {}, "softmax_output"));
}

/// One pass: sums of x and x*x as one tuple reduction, as TVM does; `two_pass` = 1 computes the variance from the
/// differences to the mean instead, which keeps its digits when the mean is large.
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
    // Narrow types are summed in float32.
    const DType sumType = data.dtype == DType::Float16 || data.dtype == DType::BFloat16 ? DType::Float32 : data.dtype;
    const std::vector<int64_t> reducedShape = without(data.shape, axis);
    const std::string name = data.op->name;
    const std::string reduceName = "k" + std::to_string(axis);
    const Expr count = constantOf(static_cast<double>(extent), sumType);

    const Tensor *sum = nullptr;
    const Tensor *second = nullptr; // sum of squares, or of squared differences
    const bool twoPass = call.integer("two_pass") != 0;
    const Tensor *mean = nullptr;
    std::vector<Axis> axes = numberedAxes("ax", reducedShape);
    Axis k = makeAxis(reduceName, extent);
    Expr value = castTo(sumType, load(data, with(varsOf(axes), axis, k.var)));
    if (twoPass) {
        sum = &call.addOp(sumOp(name + "_sum", axes, {k}, value, {}, "comm_reduce"));
        axes = numberedAxes("ax", reducedShape);
        mean = &call.addOp(
            makeCompute(name + "_mean", axes, {divide(load(*sum, axes), count)}, std::nullopt, {}, "injective"));
        axes = numberedAxes("ax", reducedShape);
        k = makeAxis(reduceName, extent);
        value = castTo(sumType, load(data, with(varsOf(axes), axis, k.var))) - load(*mean, axes);
        second = &call.addOp(sumOp(name + "_var_sum", axes, {k}, value * value, {}, "comm_reduce"));
    } else {
        Combiner combiner;
        for (const std::string part : {"0", "1"}) {
            combiner.left.push_back(makeVar("tuple_sum_lhs_" + part, sumType));
            combiner.right.push_back(makeVar("tuple_sum_rhs_" + part, sumType));
            combiner.result.push_back(combiner.left.back() + combiner.right.back());
            combiner.identity.push_back(zeroOf(sumType));
        }
        const OpPtr op = makeCompute(name + "_red_temp", axes, {value, value * value}, Reduction{combiner, {k}, {}}, {},
                                     "comm_reduce");
        call.addOp(op);
        sum = &op->output(0);
        second = &op->output(1);
    }
    axes = numberedAxes("ax", data.shape);
    const std::vector<Expr> reduced = dropped(varsOf(axes), axis);
    const Expr average = twoPass ? load(*mean, reduced) : divide(load(*sum, reduced), count);
    Expr variance = divide(load(*second, reduced), count);
    if (!twoPass) variance = variance - average * average;
    const Expr scale = callMath(Intrinsic::Rsqrt, variance + constantOf(call.number("epsilon"), sumType));
    const Expr normal = castTo(data.dtype, (castTo(sumType, load(data, axes)) - average) * scale);
    const Expr result = normal * load(gamma, {axes[axis].var}) + load(beta, {axes[axis].var});
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
    const auto value = [&] { return load(data, {b.var, i.var, j.var}); };
    const Tensor &sum = call.addOp(sumOp("C", {b}, {i, j}, value() * value()));
    b = makeAxis("b", data.shape[0]);
    return &call.addOp(makeCompute(call.resultName("D"), {b}, {callMath(Intrinsic::Sqrt, load(sum, {b.var}))}));
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
          intArg("two_pass", 0)},
         layerNorm},
        {"norm", "2-norm of every matrix of data[B, M, N]", {tensorArg("data")}, matrixNorm},
    };
    return table;
}

} // namespace loopscope
