#include "codegen/loop_ir/program.h"
#include "codegen/loop_ir/shared_layout.h"
#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

class Verifier {
  public:
    explicit Verifier(const LoopProgram &program) : m_program(program), m_seen(static_cast<size_t>(program.nodeCount)) {
        for (const ProgramArg &arg : program.args) m_live.push_back(arg.buffer);
    }

    void visit(Stmt stmt) {
        if (!m_problem.empty()) return;
        checkId(stmt);
        switch (stmt->kind) {
        case StmtKind::For:
            visitFor(stmt);
            return;
        case StmtKind::Store:
            checkStore(stmt);
            return;
        case StmtKind::If: {
            if (stmt->value->dtype != DType::Bool) fail(stmt, "a condition that is not bool");
            checkExpr(stmt, stmt->value);
            const bool outer = m_threadsPart;
            m_threadsPart = m_threadsPart || differsInThreads(stmt->value);
            for (const Stmt child : stmt->body()) visit(child);
            m_threadsPart = outer;
            return;
        }
        case StmtKind::Let:
            checkExpr(stmt, stmt->value);
            if (stmt->var->dtype != stmt->value->dtype) fail(stmt, "a value of another type than its variable");
            m_vars.push_back({stmt->var.node(), false, differsInThreads(stmt->value)});
            visit(stmt->children[0]);
            m_vars.pop_back();
            return;
        case StmtKind::Allocate:
            if (stmt->buffer->scope == MemoryScope::Argument) fail(stmt, "an argument that is allocated");
            if (stmt->buffer->strides.size() != stmt->buffer->shape.size()) fail(stmt, "strides of another rank");
            checkPlace(stmt);
            m_live.push_back(stmt->buffer);
            visit(stmt->children[0]);
            m_live.pop_back();
            return;
        case StmtKind::Barrier:
            if (!m_inThreads) fail(stmt, "a barrier outside the threads of a block");
            if (m_threadsPart) fail(stmt, "a barrier that not all threads of a block come to");
            return;
        case StmtKind::Block:
            break;
        }
        for (const Stmt child : stmt->body()) visit(child);
    }

    [[nodiscard]] const std::string &problem() const { return m_problem; }

  private:
    struct Var {
        const ExprNode *node;
        bool constantWhenUnrolled; // of an unrolled or vectorized loop
        bool differsInThreads = false;
    };

    void fail(Stmt stmt, const std::string &what) {
        if (!m_problem.empty()) return;
        m_problem = "statement " + std::to_string(stmt->id);
        if (stmt->buffer != nullptr) m_problem += " (" + stmt->buffer->name + ")";
        if (stmt->kind == StmtKind::For) m_problem += " (loop " + std::string(stmt->var->name()) + ")";
        m_problem += " has " + what;
    }

    void checkId(Stmt stmt) {
        if (stmt->id < 0 || stmt->id >= m_program.nodeCount || m_seen[static_cast<size_t>(stmt->id)])
            fail(stmt, "an id that is missing or used twice");
        else
            m_seen[static_cast<size_t>(stmt->id)] = true;
    }

    void visitFor(Stmt stmt) {
        if (stmt->min) checkExpr(stmt, stmt->min);
        checkExpr(stmt, stmt->extent);
        const bool inLanes = stmt->loop == LoopKind::Vectorized || stmt->loop == LoopKind::Unrolled;
        const int64_t extent = constantExtent(stmt);
        if (stmt->loop == LoopKind::Vectorized && extent < 1)
            fail(stmt, "a vectorized trip count that is not constant");
        if (stmt->loop == LoopKind::Parallel && m_parallel) fail(stmt, "a parallel loop around it");
        if (std::any_of(m_vars.begin(), m_vars.end(), [&](Var v) { return v.node == stmt->var.node(); }))
            fail(stmt, "a variable that an outer loop already uses");
        const bool threads = stmt->loop >= LoopKind::ThreadX && stmt->loop <= LoopKind::ThreadZ;
        const bool tripsDiffer = differsInThreads(stmt->extent) || (stmt->min && differsInThreads(stmt->min));
        const std::array<bool, 3> outer = {m_parallel, m_inThreads, m_threadsPart};
        m_parallel = m_parallel || stmt->loop == LoopKind::Parallel;
        m_inThreads = m_inThreads || threads;
        m_threadsPart = m_threadsPart || tripsDiffer;
        m_vars.push_back({stmt->var.node(), inLanes && extent > 0, threads || tripsDiffer});
        visit(stmt->children[0]);
        m_vars.pop_back();
        m_parallel = outer[0];
        m_inThreads = outer[1];
        m_threadsPart = outer[2];
    }

    void checkPlace(Stmt allocate) {
        if (!allocate->min) return;
        if (allocate->buffer->scope != MemoryScope::Shared) fail(allocate, "a place in memory that is not shared");
        if (allocate->min->kind != ExprKind::IntImm || allocatedAt(allocate) % kSharedPieceAlignment != 0 ||
            allocatedAt(allocate) < 0)
            fail(allocate, "a place in shared memory that no buffer may begin at");
    }

    void checkStore(Stmt stmt) {
        if (stmt->value->dtype != stmt->buffer->dtype) fail(stmt, "a value of another type than its buffer");
        checkAccess(stmt, *stmt->buffer, stmt->index());
        checkExpr(stmt, stmt->value);
    }

    void checkAccess(Stmt stmt, const TensorSymbol &symbol, std::span<const Expr> indices) {
        const auto live = std::find(m_live.begin(), m_live.end(), &symbol);
        if (live == m_live.end()) return fail(stmt, "an access to " + symbol.name + ", which is not allocated here");
        if (indices.size() != symbol.shape.size())
            return fail(stmt, std::to_string(indices.size()) + " indices into " + symbol.name + " of rank " +
                                  std::to_string(symbol.shape.size()));
        for (const Expr index : indices) {
            if (!isInteger(index->dtype)) fail(stmt, "an index into " + symbol.name + " that is not an integer");
            checkExpr(stmt, index);
            if ((*live)->scope == MemoryScope::Register && !constantWhenUnrolled(index))
                fail(stmt, "an index into registers that does not become constant: " + toText(index));
        }
    }

    /// The threads of a block may see different values of it.
    bool differsInThreads(Expr e) {
        bool differs = false;
        postOrder(e, [&](Expr part) {
            differs = differs || part->kind == ExprKind::Load ||
                      (part->kind == ExprKind::Var && std::any_of(m_vars.begin(), m_vars.end(), [&](Var v) {
                           return v.node == part.node() && v.differsInThreads;
                       }));
        });
        return differs;
    }

    bool constantWhenUnrolled(Expr e) {
        if (e->kind == ExprKind::Load) return false;
        if (e->kind == ExprKind::Var)
            return std::any_of(m_vars.begin(), m_vars.end(),
                               [&](Var v) { return v.node == e.node() && v.constantWhenUnrolled; });
        return std::all_of(e->operands().begin(), e->operands().end(), [&](Expr o) { return constantWhenUnrolled(o); });
    }

    void checkExpr(Stmt stmt, Expr e) {
        if (e->kind == ExprKind::Var) {
            if (std::none_of(m_vars.begin(), m_vars.end(), [&](Var v) { return v.node == e.node(); }))
                fail(stmt, "the undefined variable " + std::string(e->name()));
            return;
        }
        if (e->kind == ExprKind::Load) return checkAccess(stmt, *e->symbol, e->operands());
        if (e->kind == ExprKind::Let) {
            checkExpr(stmt, e->arg(1));
            m_vars.push_back({e->arg(0).node(), false});
            checkExpr(stmt, e->arg(2));
            m_vars.pop_back();
            return;
        }
        for (const Expr operand : e->operands()) checkExpr(stmt, operand);
    }

    const LoopProgram &m_program;
    std::vector<bool> m_seen;
    std::vector<const Buffer *> m_live;
    std::vector<Var> m_vars;
    bool m_parallel = false;
    bool m_inThreads = false;
    bool m_threadsPart = false; // under what not all threads of a block may do
    std::string m_problem;
};

} // namespace

std::string verifyProgram(const LoopProgram &program) {
    Verifier verifier(program);
    verifier.visit(program.root);
    return verifier.problem();
}

} // namespace loopscope
