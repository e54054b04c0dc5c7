#include "harness/planted_faults.h"

#include "language/expr/walk.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

namespace loopscope {

namespace {

/// Changes the definition of one op before its copy is made.
using Edit = std::function<void(std::vector<Expr> &body, std::optional<Reduction> &reduction)>;

DagPtr rebuilt(const ComputeDag &dag, size_t which, const Edit &edit) {
    auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    std::unordered_map<const TensorSymbol *, const Tensor *> copies;
    std::vector<OpPtr> ops;
    const auto moved = [&](Expr e) {
        return rewriteBottomUp(e, [&](Expr node) {
            if (node->kind != ExprKind::Load) return node;
            const auto copy = copies.find(node->symbol);
            return copy == copies.end() ? node : makeLoad(*copy->second, node->operands());
        });
    };
    for (size_t i = 0; i < dag.size(); ++i) {
        const OpPtr &op = dag.ops()[i];
        if (op->isPlaceholder()) {
            ops.push_back(op);
            continue;
        }
        std::vector<Expr> body = op->body;
        std::optional<Reduction> reduction = op->reduction;
        if (i == which) edit(body, reduction);
        for (Expr &e : body) e = moved(e);
        if (reduction && reduction->condition) reduction->condition = moved(reduction->condition);
        ops.push_back(makeCompute(op->name, op->axes, body, reduction, op->attrs, op->tag));
        for (size_t k = 0; k < op->outputs.size(); ++k) copies[op->outputs[k].get()] = ops.back()->outputs[k].get();
    }
    std::vector<const Tensor *> args;
    for (const Tensor *arg : dag.args()) args.push_back(arg->op->isPlaceholder() ? arg : copies.at(arg));
    std::vector<ArenaPtr> arenas = dag.arenas();
    arenas.push_back(arena);
    return ComputeDag::fromOrderedOps(ops, args, arenas, dag.name());
}

Expr isLast(const Axis &axis) { return makeBinary(ExprKind::Eq, axis.var, makeInt(axis.extent - 1, axis.var->dtype)); }

void leaveOut(std::optional<Reduction> &reduction, Expr left) {
    const Expr kept = makeUnary(ExprKind::Not, left);
    reduction->condition = reduction->condition ? makeBinary(ExprKind::And, reduction->condition, kept) : kept;
}

bool isLazy(Expr e) { return e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse; }

/// Another value for a constant that pads or masks: one more, or, where that is far away, one a mistake would leave.
Expr otherConstant(Expr e) {
    if (e->kind == ExprKind::IntImm) return makeInt(e->intValue + 1, e->dtype);
    return makeFloat(std::fabs(e->floatValue) > 100 ? 0 : e->floatValue + 1, e->dtype);
}

} // namespace

std::vector<PlantedFault> plantFaults(const ComputeDag &dag) {
    constexpr int kChoices = 3; // an op may choose from a whole matrix of constants
    std::vector<PlantedFault> faults;
    for (size_t i = 0; i < dag.size(); ++i) {
        const Op &op = dag.op(i);
        if (op.isPlaceholder()) continue;
        if (op.reduction) {
            int64_t points = 1;
            for (const Axis &axis : op.reduction->axes) points *= axis.extent;
            for (size_t axis = 0; axis < op.reduceRank(); ++axis) {
                const Axis &left = op.reduction->axes[axis];
                if (left.extent == 1) continue;
                faults.push_back(
                    {op.name + " without the last " + std::string(left.name()),
                     rebuilt(dag, i, [&](auto &, auto &reduction) { leaveOut(reduction, isLast(left)); })});
            }
            if (points > 1)
                faults.push_back({op.name + " without its last term", rebuilt(dag, i, [&](auto &, auto &reduction) {
                                      Expr all = isLast(reduction->axes[0]);
                                      for (size_t a = 1; a < reduction->axes.size(); ++a)
                                          all = makeBinary(ExprKind::And, all, isLast(reduction->axes[a]));
                                      leaveOut(reduction, all);
                                  })});
        }
        std::vector<Expr> choices;
        for (const Expr body : op.body)
            postOrder(body, [&](Expr e) {
                if ((isLazy(e) || e->kind == ExprKind::Select) && choices.size() < kChoices) choices.push_back(e);
            });
        const auto replaced = [&](Expr from, const std::function<Expr(Expr)> &by) {
            return rebuilt(dag, i, [&](std::vector<Expr> &body, auto &) {
                for (Expr &e : body)
                    e = rewriteBottomUp(e, [&](Expr node) { return structurallyEqual(node, from) ? by(node) : node; });
            });
        };
        for (const Expr choice : choices) {
            const std::string where = op.name + ", " + toText(choice->arg(0));
            if (isImm(choice->arg(2)))
                faults.push_back({where + ": another value outside", replaced(choice, [](Expr e) {
                                      const Expr operands[] = {e->arg(0), e->arg(1), otherConstant(e->arg(2))};
                                      return withOperands(e, operands);
                                  })});
            if (!isLazy(choice))
                faults.push_back({where + ": mask ignored", replaced(choice, [](Expr e) { return e->arg(1); })});
        }
    }
    return faults;
}

std::vector<WrongAnswer> wrongAnswers(const TensorValue &right) {
    std::vector<WrongAnswer> answers;
    answers.push_back({"zeros", right});
    std::fill(answers.back().value.floats.begin(), answers.back().value.floats.end(), 0.0);
    std::fill(answers.back().value.integers.begin(), answers.back().value.integers.end(), 0);
    const auto fromNeighbour = [&](const std::string &what, auto wrong) {
        TensorValue value = right;
        for (size_t i = 0; i + 1 < right.size(); ++i) {
            if (!wrong(i)) continue;
            if (isFloat(right.dtype))
                value.floats[i] = right.floats[i + 1];
            else
                value.integers[i] = right.integers[i + 1];
        }
        answers.push_back({what, std::move(value)});
    };
    fromNeighbour("one lane of eight", [](size_t i) { return i % 8 == 3; });
    const size_t middle = right.size() / 2;
    fromNeighbour("one element", [&](size_t i) { return i == middle; });
    return answers;
}

} // namespace loopscope
