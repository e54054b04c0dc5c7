// Moving values without computing: transpose, reshape, concat, pad.

#include "language/te/operators/building.h"
#include "language/te/operators/families.h"

namespace loopscope {

namespace {

const Tensor *transpose(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    const size_t rank = data.shape.size();
    std::vector<int64_t> order;
    if (call.has("axes")) {
        order = call.integers("axes");
    } else {
        for (size_t d = rank; d-- > 0;) order.push_back(static_cast<int64_t>(d));
    }
    call.require(order.size() == rank,
                 "`axes` names " + std::to_string(order.size()) + " of " + std::to_string(rank) + " dimensions");
    std::vector<int64_t> shape;
    std::vector<bool> seen(rank, false);
    for (int64_t &axis : order) {
        if (axis < 0) axis += static_cast<int64_t>(rank);
        call.require(axis >= 0 && static_cast<size_t>(axis) < rank && !seen[static_cast<size_t>(axis)],
                     "`axes` has to name every dimension once");
        seen[static_cast<size_t>(axis)] = true;
        shape.push_back(data.shape[static_cast<size_t>(axis)]);
    }
    const std::vector<Axis> axes = numberedAxes("ax", shape);
    std::vector<Expr> index(rank);
    for (size_t d = 0; d < rank; ++d) index[static_cast<size_t>(order[d])] = axes[d].var;
    return &call.addOp(
        makeCompute(call.resultName("T_transpose"), axes, {load(data, index)}, std::nullopt, {}, "injective"));
}

const Tensor *reshape(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    const std::vector<int64_t> shape = call.integers("shape");
    int64_t have = 1;
    for (const int64_t extent : data.shape) have *= extent;
    int64_t want = 1;
    for (const int64_t extent : shape) {
        call.require(extent >= 1, "an extent is at least 1");
        call.require(!__builtin_mul_overflow(want, extent, &want), "the shape is too large");
    }
    call.require(have == want,
                 "the data have " + std::to_string(have) + " elements, the shape " + std::to_string(want));
    call.require(have < (int64_t{1} << 31), "more than 2^31 elements cannot be reshaped");
    const std::vector<Axis> axes = numberedAxes("ax", shape);
    Expr flat = makeInt(0);
    for (const Axis &axis : axes) flat = flat * axis.extent + axis.var;
    std::vector<Expr> index(data.shape.size());
    Expr rest = flat;
    for (size_t d = data.shape.size(); d-- > 0;) {
        index[d] = d == 0 ? rest : floorMod(rest, data.shape[d]);
        rest = floorDiv(rest, data.shape[d]);
    }
    return &call.addOp(
        makeCompute(call.resultName("T_reshape"), axes, {load(data, index)}, std::nullopt, {}, "injective"));
}

const Tensor *concat(OperatorCall &call) {
    const std::vector<const Tensor *> &parts = call.tensors("tensors");
    call.require(!parts.empty(), "the list of tensors is empty");
    const Tensor &first = *parts[0];
    const auto rank = static_cast<int64_t>(first.shape.size());
    const int64_t given = call.integer("axis");
    const int64_t number = given < 0 ? given + rank : given;
    call.require(number >= 0 && number < rank,
                 "`axis` = " + std::to_string(given) + " is outside of the " + std::to_string(rank) + " dimensions");
    const auto axis = static_cast<size_t>(number);
    std::vector<int64_t> shape = first.shape;
    shape[axis] = 0;
    for (const Tensor *part : parts) {
        call.require(part->dtype == first.dtype, "the tensors have different types");
        call.require(part->shape.size() == first.shape.size(), "the tensors have different numbers of dimensions");
        for (size_t d = 0; d < shape.size(); ++d)
            call.require(d == axis || part->shape[d] == first.shape[d], "the tensors differ in dimension " +
                                                                            std::to_string(d) +
                                                                            " besides the one they are joined in");
        shape[axis] += part->shape[axis];
    }
    const std::vector<Axis> axes = numberedAxes("ax", shape);
    std::vector<Expr> index = varsOf(axes);
    Expr value = load(first, index);
    Expr at = axes[axis].var;
    for (size_t i = 1; i < parts.size(); ++i) {
        at = at - parts[i - 1]->shape[axis];
        index[axis] = at;
        value = ifThenElse(makeBinary(ExprKind::Ge, at, makeInt(0)), load(*parts[i], index), value);
    }
    return &call.addOp(makeCompute(call.resultName("T_concat"), axes, {value}, std::nullopt, {}, "injective"));
}

const Tensor *pad(OperatorCall &call) {
    const Tensor &data = call.tensor("data");
    const std::vector<int64_t> before = call.perDimension("before", data.shape.size(), 0);
    const std::vector<int64_t> after = call.has("after") ? call.perDimension("after", data.shape.size(), 0) : before;
    return &padTensor(call, data, before, after, call.resultName("PadInput"),
                      constantOf(call.number("value"), data.dtype));
}

} // namespace

const std::vector<OperatorSpec> &layoutSpecs() {
    static const std::vector<OperatorSpec> table = {
        {"transpose",
         "dimensions in another order (reversed without `axes`)",
         {tensorArg("data"), {"axes", ArgKind::Ints, {}, true}},
         transpose},
        {"reshape",
         "the same values under another shape",
         {tensorArg("data"), {"shape", ArgKind::Ints, {}, false}},
         reshape},
        {"concat",
         "tensors joined along one dimension",
         {{"tensors", ArgKind::Tensors, {}, false}, intArg("axis", 0)},
         concat},
        {"pad",
         "values around the data, per dimension",
         {tensorArg("data"),
          {"before", ArgKind::Ints, {}, false},
          {"after", ArgKind::Ints, {}, true},
          {"value", ArgKind::Number, 0.0, false}},
         pad},
    };
    return table;
}

} // namespace loopscope
