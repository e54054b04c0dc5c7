// Reductions over some dimensions, and the places of the largest and smallest values.

#include "language/te/scan.h"
#include "networks/op_compute/emission.h"

namespace loopscope {

namespace {

const Tensor &reducedBy(Emission &e, std::string_view name, const Tensor &x) {
    if (x.shape.empty()) {
        return e.compute(
            "T_identity", x.shape, [&](const std::vector<Expr> &index) { return load(x, index); }, "ax", "elemwise");
    }
    NamedArgs args = {{"keepdims", e.use().integer("keep_dims") != 0 ? 1 : 0}};
    if (const std::vector<int64_t> &axes = e.use().integers("axes"); !axes.empty()) args.emplace_back("axis", axes);
    return e.call(name, {&x}, args);
}

std::vector<const Tensor *> reduced(Emission &e, std::string_view name) { return {&reducedBy(e, name, e.input())}; }

const Tensor &squared(Emission &e) { return e.call("multiply", {&e.input(), &e.input()}); }
std::vector<const Tensor *> sumOfSquares(Emission &e) { return {&reducedBy(e, "sum", squared(e))}; }
std::vector<const Tensor *> euclidean(Emission &e) { return {&e.call("sqrt", {&reducedBy(e, "sum", squared(e))})}; }

/// The place counted from the end wins where two are equal: a tuple of place and value, as for the first.
const Tensor &lastPlace(Emission &e, bool largest, size_t axis) {
    const Tensor &x = e.input();
    const bool keep = e.use().integer("keep_dims") != 0;
    const std::vector<Axis> axes = numberedAxes("ax", e.outDims());
    const Axis k = makeAxis("k" + std::to_string(axis), x.shape[axis]);
    std::vector<Expr> index = varsOf(axes);
    if (keep)
        index[axis] = k.var;
    else
        index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), k.var);
    const Tensor &place =
        e.add(makeCompute(x.op->name + "_red_temp", axes, {k.var, load(x, index)},
                          Reduction{placeOfExtreme(largest, true, x.dtype), {k}, {}}, {}, "comm_reduce_idx"));
    return e.compute(
        x.op->name + "_red", e.outDims(), [&](const std::vector<Expr> &at) { return load(place, at); }, "ax",
        "comm_reduce_idx");
}

std::vector<const Tensor *> extremePlace(Emission &e, bool largest) {
    const Tensor &x = e.input();
    const auto axis = axisIn(e.use().integer("axis"), x.shape.size());
    if (!axis) e.refuse("its axis is outside of the data");
    const int64_t keep = e.use().integer("keep_dims") != 0 ? 1 : 0;
    const Tensor &place =
        e.use().integer("select_last") != 0
            ? lastPlace(e, largest, *axis)
            : e.call(largest ? "argmax" : "argmin", {&x}, {{"axis", static_cast<int64_t>(*axis)}, {"keepdims", keep}});
    return {&e.compute(
        "T_cast", place.shape, [&](const std::vector<Expr> &index) { return castTo(e.outType(), load(place, index)); },
        "ax", "elemwise")};
}

/// What was summed before an element, and the element: a scan. Of one element there is nothing before.
std::vector<const Tensor *> cumulativeSum(Emission &e) {
    const Tensor &x = e.widened(e.input());
    const auto axis = axisIn(e.use().integer("axis"), x.shape.size());
    if (!axis) e.refuse("its axis is outside of the data");
    const bool exclusive = e.use().integer("exclusive") != 0;
    const int64_t back = e.use().integer("reverse") != 0 ? 1 : -1;
    const auto at = [&](const std::vector<Axis> &axes, int64_t offset) {
        std::vector<Expr> index = varsOf(axes);
        index[*axis] = index[*axis] + offset;
        return index;
    };
    const std::vector<Axis> axes = numberedAxes("ax", x.shape);
    const Expr first = exclusive ? zeroOf(x.dtype) : load(x, axes);
    const auto rounded = [&](const Tensor &sums) -> std::vector<const Tensor *> {
        if (sums.dtype == e.outType()) return {&sums};
        return {&e.compute("T_cast", sums.shape,
                           [&](const std::vector<Expr> &index) { return castTo(e.outType(), load(sums, index)); })};
    };
    if (x.shape[*axis] == 1) { // reads its input all the same: a kernel has no argument that nobody reads
        const Expr before = makeBinary(ExprKind::Lt, axes[*axis].var, makeInt(0));
        const Expr only = exclusive ? makeSelectNode(before, load(x, axes), first) : first;
        return rounded(e.add(makeCompute("T_cumsum", axes, {only})));
    }
    ScanDraft draft("T_cumsum", axes, *axis, {first});
    const Expr step = load(draft.op().output(0), at(axes, back)) + load(x, at(axes, exclusive ? back : 0));
    return rounded(e.add(draft.finish({first}, {step}, {}, "")));
}

} // namespace

EmitTable reductionEmissions() {
    return {{"reduce_sum", [](Emission &e) { return reduced(e, "sum"); }},
            {"reduce_mean", [](Emission &e) { return reduced(e, "mean"); }},
            {"reduce_max", [](Emission &e) { return reduced(e, "max"); }},
            {"reduce_min", [](Emission &e) { return reduced(e, "min"); }},
            {"reduce_prod", [](Emission &e) { return reduced(e, "prod"); }},
            {"reduce_sum_square", sumOfSquares},
            {"reduce_l2", euclidean},
            {"argmax", [](Emission &e) { return extremePlace(e, true); }},
            {"argmin", [](Emission &e) { return extremePlace(e, false); }},
            {"cumsum", cumulativeSum}};
}

} // namespace loopscope
