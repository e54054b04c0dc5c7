#include "codegen/loop_ir/compact.h"

#include "codegen/loop_ir/walk.h"

#include <new>
#include <unordered_map>

namespace loopscope {

namespace {

class Compactor {
  public:
    explicit Compactor(ExprArena &arena) : m_arena(arena) {}

    Expr operator()(Expr e) {
        if (!e) return e;
        if (const auto known = m_copies.find(e.node()); known != m_copies.end()) return known->second;
        ExprNode copy = *e.node();
        copy.args = all(e->operands());
        if (copy.kind == ExprKind::Var) copy.text = m_arena.copy(copy.text).data();
        const Expr made(new (m_arena.allocate(sizeof(ExprNode))) ExprNode(copy));
        m_copies.emplace(e.node(), made); // variables stay one, and so do shared parts
        return made;
    }

    Stmt operator()(Stmt stmt) {
        if (!stmt) return stmt;
        StmtNode copy = *stmt.node();
        for (Expr *own : {&copy.var, &copy.min, &copy.extent, &copy.value}) *own = (*this)(*own);
        if (copy.iterName != nullptr) copy.iterName = m_arena.copy(copy.iterName).data();
        copy.indices = all(stmt->index());
        copy.children = all(stmt->body());
        return newStmt(copy);
    }

  private:
    template <typename Node> const Node *all(std::span<const Node> nodes) {
        Node *copies = m_arena.allocateArray<Node>(nodes.size());
        for (size_t i = 0; i < nodes.size(); ++i) copies[i] = (*this)(nodes[i]);
        return copies;
    }

    ExprArena &m_arena;
    std::unordered_map<const ExprNode *, Expr> m_copies;
};

} // namespace

LoopProgram compacted(LoopProgram program) {
    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    Compactor copy(*arena);
    program.root = copy(program.root);
    for (const auto &buffer : program.buffers)
        for (Expr &min : buffer->regionMin) min = copy(min);
    program.arena = arena;
    return program;
}

} // namespace loopscope
