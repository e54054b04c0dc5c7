// Reductions over some dimensions: sum, prod, min, max, mean, and the position of the smallest or largest value.

#include "language/expr/half.h"
#include "language/te/operators/building.h"
#include "language/te/operators/families.h"

#include <algorithm>

namespace loopscope {

namespace {

struct Split {
    std::vector<bool> reduced;     // per dimension of the data
    std::vector<int64_t> outShape; // with `keepdims`, reduced dimensions stay with extent 1
    std::vector<Axis> reduceAxes;  // k0, k1, ... by dimension
};

Split splitDimensions(const OperatorCall &call, const Tensor &data) {
    const auto rank = static_cast<int64_t>(data.shape.size());
    call.require(rank > 0, "the data have no dimension to reduce");
    Split split;
    split.reduced.assign(data.shape.size(), !call.has("axis"));
    if (call.has("axis")) {
        for (const int64_t given : call.integers("axis")) {
            const int64_t axis = given < 0 ? given + rank : given;
            call.require(axis >= 0 && axis < rank, "`axis` = " + std::to_string(given) + " is outside of the " +
                                                       std::to_string(rank) + " dimensions");
            call.require(!split.reduced[static_cast<size_t>(axis)], "`axis` names a dimension twice");
            split.reduced[static_cast<size_t>(axis)] = true;
        }
    }
    const bool keep = call.integer("keepdims") != 0;
    for (size_t d = 0; d < data.shape.size(); ++d) {
        if (split.reduced[d]) split.reduceAxes.push_back(makeAxis("k" + std::to_string(d), data.shape[d]));
        if (!split.reduced[d] || keep) split.outShape.push_back(split.reduced[d] ? 1 : data.shape[d]);
    }
    call.require(!split.reduceAxes.empty(), "`axis` is empty: nothing is reduced");
    return split;
}

/// Index of the data from output axes and reduce axes.
std::vector<Expr> sourceIndex(const OperatorCall &call, const Split &split, const std::vector<Axis> &axes) {
    const bool keep = call.integer("keepdims") != 0;
    std::vector<Expr> index;
    size_t next = 0;
    size_t nextReduced = 0;
    for (const bool reduced : split.reduced) {
        index.push_back(reduced ? split.reduceAxes[nextReduced++].var : axes[next].var);
        if (!reduced || keep) ++next;
    }
    return index;
}

template <ReduceKind Kind> const Tensor *reduce(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    const Split split = splitDimensions(call, data);
    const std::vector<Axis> axes = numberedAxes("ax", split.outShape);
    const Expr source = load(data, sourceIndex(call, split, axes));
    return &call.addOp(makeCompute(call.resultName(data.op->name + "_red"), axes, {source},
                                   reductionOver(Kind, split.reduceAxes, data.dtype), {}, "comm_reduce"));
}

const Tensor *mean(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    call.require(isFloat(data.dtype), "averages need a float type");
    const Split split = splitDimensions(call, data);
    const DType type = summedIn(data.dtype);
    std::vector<Axis> axes = numberedAxes("ax", split.outShape);
    const Expr source = castTo(type, load(data, sourceIndex(call, split, axes)));
    const Tensor &sum =
        call.addOp(makeCompute(data.op->name + "_red", axes, {source},
                               reductionOver(ReduceKind::Sum, split.reduceAxes, type), {}, "comm_reduce"));
    double count = 1;
    for (const Axis &axis : split.reduceAxes) count *= static_cast<double>(axis.extent);
    axes = numberedAxes("ax", split.outShape);
    return &call.addOp(makeCompute(call.resultName("T_divide"), axes,
                                   {castTo(data.dtype, divide(load(sum, axes), constantOf(count, type)))}, std::nullopt,
                                   {}, "broadcast"));
}

/// Index (of the reduced dimensions flattened) and value as a tuple; ties go to the first position.
const Tensor *argExtreme(OperatorCall &call, bool largest) {
    const Tensor &data = call.tensor("data");
    const Split split = splitDimensions(call, data);
    std::vector<Axis> axes = numberedAxes("ax", split.outShape);
    Expr position = makeInt(0);
    int64_t positions = 1;
    for (const Axis &axis : split.reduceAxes) {
        position = position * axis.extent + axis.var;
        positions *= axis.extent;
        call.require(positions < (int64_t{1} << 31), "more than 2^31 positions do not fit the int32 result");
    }
    const OpPtr pair =
        makeCompute(data.op->name + "_red_temp", axes, {position, load(data, sourceIndex(call, split, axes))},
                    Reduction{placeOfExtreme(largest, false, data.dtype), split.reduceAxes, {}}, {}, "comm_reduce_idx");
    call.addOp(pair);
    axes = numberedAxes("ax", split.outShape);
    return &call.addOp(makeCompute(call.resultName(data.op->name + "_red"), axes, {load(pair->output(0), axes)},
                                   std::nullopt, {}, "comm_reduce_idx"));
}
const Tensor *argmax(OperatorCall &call) { return argExtreme(call, true); }
const Tensor *argmin(OperatorCall &call) { return argExtreme(call, false); }

} // namespace

const std::vector<OperatorSpec> &reductionSpecs() {
    static const std::vector<OperatorArg> args = {
        tensorArg("data"), {"axis", ArgKind::Ints, {}, true}, intArg("keepdims", 0)};
    static const std::vector<OperatorSpec> table = {
        {"sum", "sum over the given dimensions (all without `axis`)", args, reduce<ReduceKind::Sum>},
        {"prod", "product over the given dimensions", args, reduce<ReduceKind::Prod>},
        {"min", "smallest value over the given dimensions", args, reduce<ReduceKind::Min>},
        {"max", "largest value over the given dimensions", args, reduce<ReduceKind::Max>},
        {"mean", "mean over the given dimensions", args, mean},
        {"argmax", "position of the largest value over the given dimensions", args, argmax},
        {"argmin", "position of the smallest value over the given dimensions", args, argmin},
    };
    return table;
}

} // namespace loopscope
