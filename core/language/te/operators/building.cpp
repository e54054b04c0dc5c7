#include "language/te/operators/building.h"

#include <array>

namespace loopscope {

std::vector<Axis> numberedAxes(std::string_view prefix, const std::vector<int64_t> &shape) {
    std::vector<Axis> axes;
    for (size_t i = 0; i < shape.size(); ++i)
        axes.push_back(makeAxis(std::string(prefix) + std::to_string(i), shape[i]));
    return axes;
}

std::vector<Expr> varsOf(const std::vector<Axis> &axes) {
    std::vector<Expr> vars;
    for (const Axis &axis : axes) vars.push_back(axis.var);
    return vars;
}

Expr load(const Tensor &tensor, const std::vector<Expr> &indices) { return makeLoad(tensor, indices); }
Expr load(const Tensor &tensor, const std::vector<Axis> &axes) { return makeLoad(tensor, varsOf(axes)); }

Expr constantOf(double value, DType type) {
    return isFloat(type) ? makeFloat(value, type) : makeInt(static_cast<int64_t>(value), type);
}
Expr zeroOf(DType type) { return constantOf(0, type); }

Reduction reductionOver(ReduceKind kind, std::vector<Axis> axes, DType type) {
    return {makeCombiner(kind, type), std::move(axes), {}};
}

OpPtr sumOp(std::string name, std::vector<Axis> axes, std::vector<Axis> reduceAxes, Expr source, Attrs attrs,
            std::string tag) {
    return makeCompute(std::move(name), std::move(axes), {source},
                       reductionOver(ReduceKind::Sum, std::move(reduceAxes), source->dtype), std::move(attrs),
                       std::move(tag));
}

Combiner placeOfExtreme(bool largest, bool last, DType type) {
    const std::string name = largest ? "argmax" : "argmin";
    Combiner combiner;
    for (const size_t part : {size_t{0}, size_t{1}}) {
        const DType ofPart = part == 0 ? DType::Int32 : type;
        combiner.left.push_back(makeVar(name + "_lhs_" + std::to_string(part), ofPart));
        combiner.right.push_back(makeVar(name + "_rhs_" + std::to_string(part), ofPart));
    }
    const Expr left = combiner.left[1];
    const Expr right = combiner.right[1];
    Expr better = makeBinary(largest ? ExprKind::Gt : ExprKind::Lt, left, right);
    Expr same = makeBinary(ExprKind::Eq, left, right);
    if (isFloat(type)) {
        const Expr none = callMath(Intrinsic::Isnan, left);
        const Expr noneBehind = callMath(Intrinsic::Isnan, right);
        better = logicalOr(better, logicalAnd(none, logicalNot(noneBehind)));
        same = logicalOr(same, logicalAnd(none, noneBehind));
    }
    const Expr first = makeBinary(last ? ExprKind::Gt : ExprKind::Lt, combiner.left[0], combiner.right[0]);
    combiner.result = {select(logicalOr(better, logicalAnd(same, first)), combiner.left[0], combiner.right[0]),
                       select(better, left, right)};
    // As the place of "nothing yet" one that loses to any: a value equal to the identity still wins a tie.
    combiner.identity = {makeInt(last ? -1 : (int64_t{1} << 31) - 1),
                         makeCombiner(largest ? ReduceKind::Max : ReduceKind::Min, type).identity[0]};
    return combiner;
}

OpPtr constMatrixOp(std::string name, const std::vector<std::vector<double>> &matrix, DType type) {
    const auto rows = static_cast<int64_t>(matrix.size());
    const auto columns = static_cast<int64_t>(matrix[0].size());
    const Axis i = makeAxis("i", rows);
    const Axis j = makeAxis("j", columns);
    const auto at = [](const Axis &axis, int64_t extent, int64_t value) {
        return makeBinary(ExprKind::Eq, floorMod(axis.var, extent), makeInt(value));
    };
    Expr value = zeroOf(type);
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
            value = select(logicalAnd(at(i, rows, row), at(j, columns, column)),
                           constantOf(matrix[static_cast<size_t>(row)][static_cast<size_t>(column)], type), value);
    return makeCompute(std::move(name), {i, j}, {value}, std::nullopt, {{"const_matrix", int64_t{1}}});
}

const Tensor &padTensor(OperatorCall &call, const Tensor &data, const std::vector<int64_t> &before,
                        const std::vector<int64_t> &after, const std::string &name, Expr value,
                        std::string_view prefix) {
    std::vector<int64_t> shape = data.shape;
    for (size_t i = 0; i < shape.size(); ++i) shape[i] += before[i] + after[i];
    const std::vector<Axis> axes = numberedAxes(prefix, shape);
    std::vector<Expr> indices;
    Expr inside;
    const auto require = [&inside](Expr condition) { inside = inside ? logicalAnd(inside, condition) : condition; };
    for (size_t i = 0; i < shape.size(); ++i) {
        const Expr var = axes[i].var;
        indices.push_back(var - before[i]);
        if (before[i] == 0 && after[i] == 0) continue;
        require(makeBinary(ExprKind::Ge, var, makeInt(before[i])));
        require(makeBinary(ExprKind::Lt, var, makeInt(data.shape[i] + before[i])));
    }
    Expr body = load(data, indices);
    if (inside) body = ifThenElse(inside, body, value ? value : zeroOf(data.dtype));
    return call.addOp(makeCompute(name, axes, {body}, std::nullopt, {}, "injective,pad"));
}

Attrs weightAttrs(const OperatorCall &call, const Tensor &weight) {
    if (call.integer("layout_free") == 0 || !weight.op->isPlaceholder()) return {};
    return {{"layout_free_placeholders", std::vector<std::string>{weight.op->name}}};
}

DType outType(const OperatorCall &call, const Tensor &data) {
    if (!call.has("out_dtype")) return data.dtype;
    static constexpr std::array<std::string_view, 8> names = {"int8",    "uint8",    "int32",   "int64",
                                                              "float16", "bfloat16", "float32", "float64"};
    return *dtypeFromName(call.text("out_dtype", names));
}

int64_t windowOutput(const OperatorCall &call, int64_t in, int64_t padBefore, int64_t padAfter, int64_t kernel,
                     int64_t stride, int64_t dilation) {
    const int64_t reach = (kernel - 1) * dilation + 1;
    const int64_t padded = in + padBefore + padAfter;
    call.require(padded >= reach, "a window of " + std::to_string(reach) + " does not fit into " +
                                      std::to_string(padded) + " padded values");
    return (padded - reach) / stride + 1;
}

OperatorArg tensorArg(std::string name) { return {std::move(name), ArgKind::Tensor, {}, false}; }
OperatorArg intArg(std::string name, int64_t fallback) { return {std::move(name), ArgKind::Int, fallback, false}; }
OperatorArg intsArg(std::string name, int64_t fallback) {
    return {std::move(name), ArgKind::Ints, std::vector<int64_t>{fallback}, false};
}
OperatorArg textArg(std::string name, std::string fallback) {
    return {std::move(name), ArgKind::Text, std::move(fallback), false};
}
OperatorArg outDtypeArg() { return {"out_dtype", ArgKind::Text, {}, true}; }
OperatorArg styleArg() { return textArg("style", "library"); }
OperatorArg layoutFreeArg(int64_t fallback) { return intArg("layout_free", fallback); }

} // namespace loopscope
