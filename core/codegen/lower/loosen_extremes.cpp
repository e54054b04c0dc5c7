// A maximum that may lose what is no number (language/dag/lost_numbers.h) is chosen by a comparison, which costs
// nothing: of `max(m, x)` the code would have to see whether either is none.

#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"
#include "language/dag/lost_numbers.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

namespace {

class Loosener {
  public:
    Loosener(const ComputeDag &dag, const LoopState &state) : m_state(state) {
        for (size_t i = 0; i < dag.size(); ++i)
            if (mayLoseNoNumbers(dag, i)) m_names.push_back(dag.op(i).name);
    }
    [[nodiscard]] bool any() const { return !m_names.empty(); }

    Stmt visit(Stmt stmt) {
        if (stmt->kind == StmtKind::Store) return loosened(stmt);
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(visit(child));
        return withChildren(stmt, children);
    }

  private:
    /// The stage or one that a step made of it: its copy, its parts.
    [[nodiscard]] bool isOf(std::string_view stage) const {
        return std::ranges::any_of(m_names, [&](const std::string &name) {
            return stage == name || (stage.starts_with(name) && stage[name.size()] == '.');
        });
    }

    Stmt loosened(Stmt store) {
        const Expr value = store->value;
        const bool extreme = value->kind == ExprKind::Max || value->kind == ExprKind::Min;
        if (!extreme || !isFloat(value->dtype) || !(store->stage.value >= 0) ||
            !isOf(m_state.stage(store->stage).op->name))
            return store;
        const Expr own = value->arg(0);
        if (own->kind != ExprKind::Load || own->symbol != store->buffer) return store;
        const ExprKind order = value->kind == ExprKind::Max ? ExprKind::Gt : ExprKind::Lt;
        StmtNode node = *store.node();
        node.value = makeSelectNode(makeBinary(order, own, value->arg(1)), own, value->arg(1));
        return newStmt(node);
    }

    const LoopState &m_state;
    std::vector<std::string> m_names;
};

} // namespace

void loosenExtremes(LoopProgram &program, const PassContext &context) {
    Loosener loosener(*context.state.originalDag(), context.state);
    if (!loosener.any()) return;
    program.root = loosener.visit(program.root);
    numberNodes(program);
}

} // namespace loopscope
