// Matrix products: dense layers, matmul of any ranks, gemm.

#include "language/expr/half.h"
#include "networks/op_compute/emission.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopscope {

namespace {

/// By numpy's rules: vectors are rows in front and columns behind, other dimensions broadcast.
const Tensor &matmulOfAnyRank(Emission &e) {
    const Tensor &a = e.input(0);
    const Tensor &b = e.input(1);
    const bool rowVector = a.shape.size() == 1;
    const bool columnVector = b.shape.size() == 1;
    const std::vector<int64_t> shape = e.outDims();
    const size_t own = (rowVector ? 0 : 1) + (columnVector ? 0 : 1);
    const size_t batches = shape.size() - own;
    std::vector<Axis> axes;
    for (size_t d = 0; d < batches; ++d) axes.push_back(makeAxis("b" + std::to_string(d), shape[d]));
    const auto batchIndex = [&](const Tensor &side, size_t rest) {
        std::vector<Expr> index;
        const size_t count = side.shape.size() > rest ? side.shape.size() - rest : 0;
        for (size_t d = 0; d < count; ++d) {
            const size_t at = batches - count + d;
            index.push_back(side.shape[d] == shape[at] ? axes[at].var : makeInt(0));
        }
        return index;
    };
    std::vector<Expr> left = batchIndex(a, 2);
    std::vector<Expr> right = batchIndex(b, 2);
    const Axis k = makeAxis("k", a.shape.back());
    if (!rowVector) {
        axes.push_back(makeAxis("i", shape[batches]));
        left.push_back(axes.back().var);
    }
    left.push_back(k.var);
    right.push_back(k.var);
    if (!columnVector) {
        axes.push_back(makeAxis("j", shape.back()));
        right.push_back(axes.back().var);
    }
    Attrs attrs;
    if (e.layoutFree(1) != 0 && b.shape.size() == 2 && b.op->isPlaceholder())
        attrs["layout_free_placeholders"] = std::vector<std::string>{b.op->name};
    const DType type = summedIn(a.dtype);
    const Expr product = castTo(type, load(a, left)) * castTo(type, load(b, right));
    return e.add(sumOp("T_batch_matmul_NN", axes, {k}, product, attrs, "batch_matmul"));
}

std::vector<const Tensor *> matmul(Emission &e) {
    const Tensor &a = e.input(0);
    const Tensor &b = e.input(1);
    const NamedArgs args = e.productArgs();
    if (a.shape.size() == 2 && b.shape.size() == 2) return {&e.call("matmul", {&a, &b}, args)};
    const bool batches = a.shape.size() == 3 && b.shape.size() == 3 && a.shape[0] == b.shape[0];
    if (batches) return {&e.call("batch_matmul", {&a, &b}, args)};
    return {&matmulOfAnyRank(e)};
}

std::vector<const Tensor *> dense(Emission &e) {
    return {&e.call("dense", {&e.input(0), &e.input(1)}, e.productArgs())};
}

const Tensor &times(Emission &e, const Tensor &x, double factor) {
    return factor == 1.0 ? x : e.call("multiply", {&x, &e.literal(factor, x.dtype)});
}

std::vector<const Tensor *> gemm(Emission &e) {
    const int64_t transA = e.use().integer("trans_a");
    const int64_t transB = e.use().integer("trans_b");
    const NamedArgs args = e.productArgs({{"transpose_a", transA != 0 ? 1 : 0}, {"transpose_b", transB != 0 ? 1 : 0}});
    const Tensor *product = transA == 0 && transB != 0 ? &e.call("dense", {&e.input(0), &e.input(1)}, e.productArgs())
                                                       : &e.call("matmul", {&e.input(0), &e.input(1)}, args);
    product = &times(e, *product, e.use().number("alpha"));
    if (!e.has(2)) return {product};
    return {&e.call("add", {product, &times(e, e.widened(e.input(2)), e.use().number("beta"))})};
}

} // namespace

EmitTable matrixEmissions() { return {{"matmul", matmul}, {"dense", dense}, {"gemm", gemm}}; }

} // namespace loopscope
