#include "language/te/op.h"

#include "base/check.h"
#include "language/expr/interval.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace loopscope {

namespace {

/// Outputs of an op, at addresses that never change: loads point at them.
void addOutput(Op &op, std::string name, DType dtype, std::vector<int64_t> shape) {
    auto tensor = std::make_unique<Tensor>();
    tensor->name = std::move(name);
    tensor->dtype = dtype;
    tensor->shape = std::move(shape);
    tensor->op = &op;
    tensor->outputIndex = static_cast<int>(op.outputs.size());
    op.outputs.push_back(std::move(tensor));
}

Expr lowestOf(DType type) {
    if (isFloat(type)) return makeFloat(-std::numeric_limits<double>::infinity(), type);
    return makeInt(Interval::ofType(type).min, type);
}

Expr highestOf(DType type) {
    if (isFloat(type)) return makeFloat(std::numeric_limits<double>::infinity(), type);
    return makeInt(Interval::ofType(type).max, type);
}

Expr identityOf(int64_t value, DType type) {
    return isFloat(type) ? makeFloat(static_cast<double>(value), type) : makeInt(value, type);
}

} // namespace

OpPtr makePlaceholder(std::string name, std::vector<int64_t> shape, DType dtype) {
    for (const int64_t extent : shape) LOOPSCOPE_CHECK(extent >= 1, "extent of placeholder " + name);
    auto op = std::make_shared<Op>();
    op->kind = OpKind::Placeholder;
    op->name = std::move(name);
    addOutput(*op, op->name, dtype, std::move(shape));
    return op;
}

OpPtr makeCompute(std::string name, std::vector<Axis> axes, std::vector<Expr> body, std::optional<Reduction> reduction,
                  Attrs attrs, std::string tag) {
    LOOPSCOPE_CHECK(!body.empty(), "compute " + name + " without a body");
    auto op = std::make_shared<Op>();
    op->kind = OpKind::Compute;
    op->name = std::move(name);
    op->axes = std::move(axes);
    op->body = std::move(body);
    op->reduction = std::move(reduction);
    op->attrs = std::move(attrs);
    op->tag = std::move(tag);

    std::vector<int64_t> shape;
    for (const Axis &axis : op->axes) {
        LOOPSCOPE_CHECK(axis.extent >= 1, "extent of axis " + std::string(axis.name()) + " of " + op->name);
        shape.push_back(axis.extent);
    }
    if (op->reduction) {
        const Combiner &combiner = op->reduction->combiner;
        const size_t width = op->body.size();
        LOOPSCOPE_CHECK(combiner.left.size() == width && combiner.right.size() == width &&
                            combiner.result.size() == width && combiner.identity.size() == width,
                        "combiner of " + op->name + " has another width than its sources");
        for (const Axis &axis : op->reduction->axes)
            LOOPSCOPE_CHECK(axis.extent >= 1, "extent of axis " + std::string(axis.name()) + " of " + op->name);
    }
    const bool several = op->body.size() > 1;
    for (size_t k = 0; k < op->body.size(); ++k)
        addOutput(*op, several ? op->name + ".v" + std::to_string(k) : op->name, op->body[k]->dtype, shape);
    return op;
}

Combiner makeCombiner(ReduceKind kind, DType type) {
    const Expr left = makeVar("x", type);
    const Expr right = makeVar("y", type);
    switch (kind) {
    case ReduceKind::Sum:
        return {{left}, {right}, {makeBinary(ExprKind::Add, left, right)}, {identityOf(0, type)}};
    case ReduceKind::Prod:
        return {{left}, {right}, {makeBinary(ExprKind::Mul, left, right)}, {identityOf(1, type)}};
    case ReduceKind::Min:
        return {{left}, {right}, {makeBinary(ExprKind::Min, left, right)}, {highestOf(type)}};
    case ReduceKind::Max:
        return {{left}, {right}, {makeBinary(ExprKind::Max, left, right)}, {lowestOf(type)}};
    case ReduceKind::Other:
        break;
    }
    LOOPSCOPE_CHECK(kind != ReduceKind::Other, "a general combiner has no default form");
    return {};
}

ReduceKind reduceKind(const Combiner &combiner) {
    if (combiner.result.size() != 1) return ReduceKind::Other;
    const Expr result = combiner.result[0];
    if (!isBinary(result->kind) || !result->arg(0).is(combiner.left[0]) || !result->arg(1).is(combiner.right[0]))
        return ReduceKind::Other;
    switch (result->kind) {
    case ExprKind::Add:
        return ReduceKind::Sum;
    case ExprKind::Mul:
        return ReduceKind::Prod;
    case ExprKind::Min:
        return ReduceKind::Min;
    case ExprKind::Max:
        return ReduceKind::Max;
    default:
        return ReduceKind::Other;
    }
}

std::string tensorText(const Tensor &tensor) {
    if (tensor.op == nullptr || tensor.op->outputs.size() < 2) return tensor.name;
    return tensor.op->name + ".v" + std::to_string(tensor.outputIndex);
}

std::vector<const Tensor *> inputTensors(const Op &op) {
    std::vector<const Tensor *> inputs;
    const auto collect = [&](Expr e) {
        if (e->kind != ExprKind::Load) return;
        const Tensor *tensor = &asTensor(e->symbol);
        if (tensor->op == &op) return; // a scan's own elements (language/te/scan.h)
        if (std::find(inputs.begin(), inputs.end(), tensor) == inputs.end()) inputs.push_back(tensor);
    };
    for (const Expr body : op.body) postOrder(body, collect);
    if (op.reduction) {
        for (const Expr identity : op.reduction->combiner.identity) postOrder(identity, collect);
        if (op.reduction->condition) postOrder(op.reduction->condition, collect);
    }
    return inputs;
}

} // namespace loopscope
