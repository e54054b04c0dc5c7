// Dense linear algebra: matmul, dense, batch_matmul, and batch_matmul behind two transposes (attention scores).

#include "language/te/operators/building.h"
#include "language/te/operators/families.h"

namespace loopscope {

namespace {

void requireEqual(const OperatorCall &call, int64_t a, int64_t b, const std::string &what) {
    call.require(a == b, what + " differ: " + std::to_string(a) + " and " + std::to_string(b));
}

/// "NN", "NT", ... as TVM names its matmuls.
std::string transposeSuffix(bool a, bool b) { return std::string(a ? "T" : "N") + (b ? "T" : "N"); }

const Tensor *buildMatmul(OperatorCall &call, bool transposeA, bool transposeB, const std::string &tag) {
    call.requireRank("data", 2, transposeA ? "K, M" : "M, K");
    call.requireRank("weight", 2, transposeB ? "N, K" : "K, N");
    const Tensor &a = call.tensor("data");
    const Tensor &b = call.tensor("weight");
    const DType type = outType(call, a);
    requireEqual(call, a.shape[transposeA ? 0 : 1], b.shape[transposeB ? 1 : 0], "the inner extents");
    const Axis i = makeAxis("i", a.shape[transposeA ? 1 : 0]);
    const Axis j = makeAxis("j", b.shape[transposeB ? 0 : 1]);
    const Axis k = makeAxis("k", a.shape[transposeA ? 0 : 1]);
    const Expr left = transposeA ? load(a, {k.var, i.var}) : load(a, {i.var, k.var});
    const Expr right = transposeB ? load(b, {j.var, k.var}) : load(b, {k.var, j.var});
    const std::string usual = call.benchmarkStyle() ? "C" : "T_matmul_" + transposeSuffix(transposeA, transposeB);
    return &call.addOp(sumOp(call.resultName(usual), {i, j}, {k}, castTo(type, left) * castTo(type, right),
                             weightAttrs(call, b), tag));
}

const Tensor *matmul(OperatorCall &call) {
    return buildMatmul(call, call.integer("transpose_a") != 0, call.integer("transpose_b") != 0, "matmul");
}

const Tensor *dense(OperatorCall &call) { return buildMatmul(call, false, true, "dense"); }

const Tensor *batchMatmul(OperatorCall &call) {
    const bool transposeA = call.integer("transpose_a") != 0;
    const bool transposeB = call.integer("transpose_b") != 0;
    call.requireRank("data", 3, transposeA ? "B, K, M" : "B, M, K");
    call.requireRank("weight", 3, transposeB ? "B, N, K" : "B, K, N");
    const Tensor &a = call.tensor("data");
    const Tensor &b = call.tensor("weight");
    const DType type = outType(call, a);
    requireEqual(call, a.shape[transposeA ? 1 : 2], b.shape[transposeB ? 2 : 1], "the inner extents");
    call.require(a.shape[0] == b.shape[0] || a.shape[0] == 1 || b.shape[0] == 1,
                 "the batch extents differ and none is 1");
    const bool benchmark = call.benchmarkStyle();
    const Axis batch = makeAxis("b", std::max(a.shape[0], b.shape[0]));
    const Axis i = makeAxis("i", a.shape[transposeA ? 2 : 1]);
    const Axis j = makeAxis("j", b.shape[transposeB ? 1 : 2]);
    const Axis k = makeAxis("k", a.shape[transposeA ? 1 : 2]);
    const auto batchIndex = [&](const Tensor &side) {
        const bool broadcast = benchmark ? side.shape[0] != batch.extent : side.shape[0] == 1;
        return broadcast ? makeInt(0) : batch.var;
    };
    const Expr left = transposeA ? load(a, {batchIndex(a), k.var, i.var}) : load(a, {batchIndex(a), i.var, k.var});
    const Expr right = transposeB ? load(b, {batchIndex(b), j.var, k.var}) : load(b, {batchIndex(b), k.var, j.var});
    const std::string usual = benchmark ? "Z" : "T_batch_matmul_" + transposeSuffix(transposeA, transposeB);
    return &call.addOp(sumOp(call.resultName(usual), {batch, i, j}, {k}, castTo(type, left) * castTo(type, right),
                             weightAttrs(call, b), "batch_matmul"));
}

const Tensor *transposeBatchMatmul(OperatorCall &call) {
    call.requireRank("query", 4, "batch, sequence, head, dim");
    call.requireRank("value", 4, "batch, sequence, head, dim");
    const Tensor &query = call.tensor("query");
    const Tensor &value = call.tensor("value");
    for (const size_t dim : {size_t{0}, size_t{2}, size_t{3}})
        requireEqual(call, query.shape[dim], value.shape[dim], "the batch, head and dim extents");
    const std::vector<int64_t> &q = query.shape;

    std::vector<Axis> axes = {makeAxis("b", q[0]), makeAxis("h", q[2]), makeAxis("l", q[1]), makeAxis("d", q[3])};
    const Expr queryBody = load(query, {axes[0].var, axes[2].var, axes[1].var, axes[3].var});
    const Tensor &queryT = call.addOp(makeCompute("query_T", axes, {queryBody}));

    axes = {makeAxis("b", q[0]), makeAxis("h", q[2]), makeAxis("d", q[3]), makeAxis("l", value.shape[1])};
    const Expr valueBody = load(value, {axes[0].var, axes[3].var, axes[1].var, axes[2].var});
    const Tensor &valueT = call.addOp(makeCompute("value_T", axes, {valueBody}));

    axes = {makeAxis("b", q[0]), makeAxis("h", q[2]), makeAxis("i", q[1]), makeAxis("j", value.shape[1])};
    const Axis k = makeAxis("k", q[3]);
    const Expr product = load(queryT, {axes[0].var, axes[1].var, axes[2].var, k.var}) *
                         load(valueT, {axes[0].var, axes[1].var, k.var, axes[3].var});
    return &call.addOp(sumOp(call.resultName("C"), axes, {k}, product));
}

} // namespace

const std::vector<OperatorSpec> &matmulSpecs() {
    static const std::vector<OperatorSpec> table = {
        {"matmul",
         "data[M, K] x weight[K, N]",
         {tensorArg("data"), tensorArg("weight"), intArg("transpose_a", 0), intArg("transpose_b", 0), outDtypeArg(),
          layoutFreeArg(), styleArg()},
         matmul},
        {"dense",
         "data[M, K] x weight[N, K], the fully connected layer",
         {tensorArg("data"), tensorArg("weight"), outDtypeArg(), layoutFreeArg(), styleArg()},
         dense},
        {"batch_matmul",
         "data[B, M, K] x weight[B, K, N] for every b",
         {tensorArg("data"), tensorArg("weight"), intArg("transpose_a", 0), intArg("transpose_b", 0), outDtypeArg(),
          layoutFreeArg(0), styleArg()},
         batchMatmul},
        {"transpose_batch_matmul",
         "query x value^T of [batch, sequence, head, dim] tensors, transposed to [batch, head, ...] first",
         {tensorArg("query"), tensorArg("value")},
         transposeBatchMatmul},
    };
    return table;
}

} // namespace loopscope
