#include "networks/strategy/quantities.h"

#include "networks/op/infer_types.h"
#include "networks/op/operator.h"

#include <array>
#include <string>

namespace loopscope {

namespace {

int64_t entry(const std::vector<int64_t> &list, size_t at, int64_t fallback) {
    return at < list.size() ? list[at] : fallback;
}

void addConvolution(Quantities &all, const OperatorUse &use, const Dims &outDims) {
    const Dims &x = use.dims(0);
    const Dims &w = use.dims(1);
    const size_t space = x.size() - 2;
    all["space"] = static_cast<int64_t>(space);
    all["n"] = x[0];
    all["ci"] = x[1];
    all["co"] = outDims[1];
    all["group"] = use.integer("group");
    all["constant_weight"] = use.constant(1) != nullptr ? 1 : 0;
    all["channels_last"] = 0;
    if (space != 2) return;
    static constexpr std::array<const char *, 2> kAxes = {"h", "w"};
    const std::vector<int64_t> strides = use.integers("strides");
    const std::vector<int64_t> dilations = use.integers("dilations");
    for (size_t axis = 0; axis < 2; ++axis) {
        const std::string name = kAxes[axis];
        all[name] = x[2 + axis];
        all["k" + name] = w[2 + axis];
        all["o" + name] = outDims[2 + axis];
        all["stride_" + name] = entry(strides, axis, 1);
        all["dilation_" + name] = entry(dilations, axis, 1);
    }
}

void addProduct(Quantities &all, const OperatorUse &use) {
    const Dims &a = use.dims(0);
    const Dims &b = use.dims(1);
    all["constant_weight"] = use.constant(1) != nullptr ? 1 : 0;
    if (a.size() != 2 || b.size() != 2) return;
    const std::string &op = use.node().op;
    const bool gemm = op == "gemm";
    const bool transA = gemm && use.integer("trans_a") != 0;
    const bool transB = op == "dense" || (gemm && use.integer("trans_b") != 0);
    all["m"] = a[transA ? 1 : 0];
    all["k"] = a[transA ? 0 : 1];
    all["n"] = b[transB ? 0 : 1];
    if (!gemm) return;
    all["trans_a"] = transA ? 1 : 0;
    all["trans_b"] = transB ? 1 : 0;
}

Dim elementsOf(const Dims &dims) {
    Dim product = 1;
    for (const Dim &dim : dims) product = product * dim;
    return product;
}

} // namespace

Quantities quantitiesOf(const OperatorUse &use, const Dims &outDims) {
    Quantities all;
    if (!use.has(0)) return all;
    const std::string &op = use.node().op;
    const Dims &x = use.dims(0);
    all["rank"] = static_cast<int64_t>(x.size());
    all["floating"] = isFloat(use.dtype(0)) ? 1 : 0;
    if (op == "conv") addConvolution(all, use, outDims);
    if (op == "dense" || op == "gemm" || op == "matmul") addProduct(all, use);
    if (op == "softmax" || op == "log_softmax")
        if (const auto axis = axisIn(use.integer("axis"), x.size())) {
            all["columns"] = x[*axis];
            all["rows"] = Dim::exactQuotient(elementsOf(x), x[*axis]).value_or(elementsOf(x));
        }
    if (use.of().pattern == PatternKind::Reduction) all["elements"] = elementsOf(x);
    return all;
}

StrategySubject subjectOf(const GraphFunction &function, const Node &node) {
    StrategySubject subject = {node.name, node.op, {}};
    if (findOperator(node.op) == nullptr) return subject;
    subject.quantities = quantitiesOf(useOf(function, node), function.type(node.outputs[0]).dims);
    return subject;
}

} // namespace loopscope
