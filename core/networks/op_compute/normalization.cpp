// Softmax and what networks normalise by. The stages of a normalisation are its statistics, then one that applies them.

#include "language/te/operators/moments.h"
#include "networks/op_compute/emission.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

std::vector<int64_t> withoutAxis(std::vector<int64_t> shape, size_t axis) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    return shape;
}
std::vector<Expr> withIndexAt(std::vector<Expr> index, size_t axis, Expr at) {
    index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), at);
    return index;
}
std::vector<Expr> takenOut(std::vector<Expr> index, size_t axis) {
    index.erase(index.begin() + static_cast<std::ptrdiff_t>(axis));
    return index;
}

size_t axisOf(Emission &e) {
    const auto axis = axisIn(e.use().integer("axis"), e.input().shape.size());
    if (!axis) e.refuse(fmt::format("its axis {} is outside of the data", e.use().integer("axis")));
    return *axis;
}

void needFloats(Emission &e) {
    if (!isFloat(e.input().dtype))
        e.refuse(fmt::format("it is computed for floats, not for {}", dtypeName(e.input().dtype)));
}

std::vector<const Tensor *> softmax(Emission &e) {
    return {&e.call("softmax", {&e.input()}, {{"axis", static_cast<int64_t>(axisOf(e))}})};
}

std::vector<const Tensor *> logSoftmax(Emission &e) {
    needFloats(e);
    const Tensor &x = e.input();
    const size_t axis = axisOf(e);
    std::vector<Axis> axes = numberedAxes("i", withoutAxis(x.shape, axis));
    Axis k = makeAxis("k", x.shape[axis]);
    Expr value = load(x, withIndexAt(varsOf(axes), axis, k.var));
    const Tensor &largest =
        e.add(makeCompute("T_softmax_maxelem", axes, {value}, reductionOver(ReduceKind::Max, {k}, x.dtype)));
    axes = numberedAxes("i", withoutAxis(x.shape, axis));
    k = makeAxis("k", x.shape[axis]);
    value = callMath(Intrinsic::Exp, load(x, withIndexAt(varsOf(axes), axis, k.var)) - load(largest, axes));
    const Tensor &sum = e.add(sumOp("compute", axes, {k}, value));
    return {&e.compute(
        "compute", x.shape,
        [&](const std::vector<Expr> &index) {
            const std::vector<Expr> row = takenOut(index, axis);
            return load(x, index) - load(largest, row) - callMath(Intrinsic::Log, load(sum, row));
        },
        "i", "")};
}

std::vector<const Tensor *> responseNorm(Emission &e) {
    needFloats(e);
    const Tensor &x = e.input();
    const int64_t size = e.use().integer("size");
    const int64_t before = (size - 1) / 2;
    std::vector<int64_t> pads(x.shape.size(), 0);
    std::vector<int64_t> padsAfter = pads;
    pads[1] = before;
    padsAfter[1] = size - 1 - before;
    const Tensor &padded = e.padded(x, pads, padsAfter, "pad_data", zeroOf(x.dtype), "ax");
    const std::vector<Axis> axes = numberedAxes("ax", x.shape);
    const Axis window = makeAxis("rxs", size);
    std::vector<Expr> index = varsOf(axes);
    index[1] = index[1] + window.var;
    const Tensor &squares = e.add(sumOp("tensor", axes, {window}, load(padded, index) * load(padded, index)));
    const Tensor &power = e.compute(
        "tensor", x.shape,
        [&](const std::vector<Expr> &at) {
            const auto number = [&](double value) { return constantOf(value, x.dtype); };
            const Expr scaled =
                divide(number(e.use().number("alpha")) * load(squares, at), number(static_cast<double>(size)));
            const Expr parts[] = {number(e.use().number("bias")) + scaled, number(e.use().number("beta"))};
            return makeCall(Intrinsic::Pow, x.dtype, parts);
        },
        "ax", "");
    return {&e.call("divide", {&x, &power})};
}

std::vector<const Tensor *> batchNorm(Emission &e) {
    needFloats(e);
    const Tensor &x = e.input();
    return {&e.compute(
        "T_batch_norm", x.shape,
        [&](const std::vector<Expr> &index) {
            const auto of = [&](size_t input) { return load(e.input(input), {index[1]}); };
            const Expr deviation = callMath(Intrinsic::Sqrt, of(4) + constantOf(e.use().number("epsilon"), x.dtype));
            return divide(load(x, index) - of(3), deviation) * of(1) + of(2);
        },
        "ax", "broadcast")};
}

/// Mean 0 and variance 1 over the dimensions from `first` on, times the scale, plus the bias.
const Tensor &normalised(Emission &e, size_t first, const std::string &name,
                         const std::function<Expr(const Tensor &, const std::vector<Expr> &)> &parameter) {
    const Tensor &x = e.input();
    std::vector<bool> reduced(x.shape.size(), false);
    std::fill(reduced.begin() + static_cast<std::ptrdiff_t>(first), reduced.end(), true);
    const auto normal = normalBy([&](OpPtr op) { e.add(std::move(op)); }, x, reduced, name, e.use().number("epsilon"));
    return e.compute("T_" + name, x.shape, [&](const std::vector<Expr> &index) {
        const std::vector<Expr> row(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(first));
        Expr result = normal(load(x, index), row) * parameter(e.input(1), index);
        if (e.has(2)) result = result + parameter(e.input(2), index);
        return result;
    });
}

std::vector<const Tensor *> layerNorm(Emission &e) {
    needFloats(e);
    const Tensor &x = e.input();
    const size_t axis = axisOf(e);
    const bool vectors = axis + 1 == x.shape.size() && e.has(2) && e.input(1).shape.size() == 1 &&
                         e.input(2).shape.size() == 1 && e.input(1).shape[0] == x.shape.back() &&
                         e.input(2).shape[0] == x.shape.back();
    if (vectors)
        return {&e.call("layer_norm", {&x, &e.input(1), &e.input(2)},
                        {{"axis", static_cast<int64_t>(axis)}, {"epsilon", e.use().number("epsilon")}})};
    return {&normalised(e, axis, "layer_norm", [&](const Tensor &parameter, const std::vector<Expr> &index) {
        return loadBroadcast(parameter, x.shape, index);
    })};
}

std::vector<const Tensor *> instanceNorm(Emission &e) {
    needFloats(e);
    return {&normalised(e, 2, "instance_norm", [](const Tensor &parameter, const std::vector<Expr> &index) {
        return load(parameter, {index[1]});
    })};
}

} // namespace

EmitTable normalizationEmissions() {
    return {{"softmax", softmax},      {"log_softmax", logSoftmax}, {"lrn", responseNorm},
            {"batch_norm", batchNorm}, {"layer_norm", layerNorm},   {"instance_norm", instanceNorm}};
}

} // namespace loopscope
