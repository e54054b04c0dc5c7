// A picture is read beyond its edges through a clamp: in[min(max(x - 3, 0), W - 1)]. Of a vector of x its lanes are
// then loaded one by one, although next to no vector comes near an edge. Such a vector is written twice:
//
//     vectorized x.1: ... in[min(max(x.0*16 + x.1 - 3, 0), W - 1)]
//  -> if 3 <= x.0*16 and x.0*16 + 15 - 3 < W:
//         vectorized x.1: ... in[x.0*16 + x.1 - 3]
//     else: as it was
//
// What is the same in every lane stays as it is: it is computed once for all of them.

#include "codegen/lower/guards.h"
#include "codegen/lower/passes.h"
#include "codegen/lower/simplify_program.h"

#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <vector>

namespace loopscope {

namespace {

constexpr int kMaxClamps = 16;          // of a vector; more conditions would cost more than they save
constexpr int kCopiedStatements = 1000; // copies, in statements

bool isClamp(Expr e) { return (e->kind == ExprKind::Min || e->kind == ExprKind::Max) && isInteger(e->dtype); }

/// One side of a clamp, min(x, bound) or max(x, bound), that is x in the copy.
struct ClampSide {
    ExprKind kind = ExprKind::Min;
    Expr bound;
    Expr open; // x, without the sides inside of it
};

bool sameSide(const ClampSide &a, const ClampSide &b) {
    return a.kind == b.kind && structurallyEqual(a.bound, b.bound) && structurallyEqual(a.open, b.open);
}

class ClampSeparator : public ProgramSimplifier {
  public:
    [[nodiscard]] bool foundNone() const { return m_copied == 0; }

  protected:
    Stmt visitLoop(Stmt loop) override {
        if (loop->loop != LoopKind::Vectorized) return ProgramSimplifier::visitLoop(loop);
        m_sides.clear();
        m_whole = Expr();
        const size_t outer = mark();
        const Interval lanes = {0, sum(loop->extent).values().max - 1};
        bindRange(loop->var, loop->min ? lanes + sum(loop->min).values() : lanes);
        const bool plain = collect(loop->children[0], loop->var);
        release(outer);
        if (!plain || !m_whole || static_cast<int>(m_sides.size()) > kMaxClamps ||
            m_copied + countStmts(loop) > kCopiedStatements)
            return ProgramSimplifier::visitLoop(loop);
        m_copied += countStmts(loop);
        const Expr whole = m_whole;
        const Stmt open = ProgramSimplifier::visitLoop(copyStmt(opened(loop)));
        const Stmt clamped = ProgramSimplifier::visitLoop(loop);
        if (!open || !clamped) return clamped;
        return makeIf(whole, open, clamped, true);
    }

  private:
    /// False where there is a loop inside.
    bool collect(Stmt stmt, Expr lane) {
        if (stmt->kind == StmtKind::For) return false;
        if (stmt->kind == StmtKind::Store)
            postOrder(stmt->value, [&](Expr e) {
                if (e->kind != ExprKind::Load) return;
                for (const Expr index : e->operands()) collectIn(index, lane);
            });
        bool plain = true;
        for (const Stmt child : stmt->body()) plain = plain && collect(child, lane);
        return plain;
    }

    void collectIn(Expr index, Expr lane) {
        if (index->kind == ExprKind::Load) return; // has its own turn
        if (isClamp(index) && usesVar(index, lane)) {
            open(index, lane);
            return;
        }
        for (const Expr operand : index->operands()) collectIn(operand, lane);
    }

    /// What a clamp is when none of its sides is reached; the clamp itself where that cannot be told.
    Expr open(Expr clamp, Expr lane) {
        if (!isClamp(clamp) || usesVar(clamp->arg(1), lane)) return clamp;
        const Expr inner = open(clamp->arg(0), lane);
        if (isClamp(inner)) return clamp;
        const bool most = clamp->kind == ExprKind::Min;
        const Expr holds = makeBinary(most ? ExprKind::Le : ExprKind::Ge, inner, clamp->arg(1));
        const LoopView view = viewFrom(inequalityOf(*this, holds), Expr(), {lane.node()});
        if (!view.separable) return clamp;
        SplitSum worst;
        worst.add(view.outer);
        worst.constant += view.inner.max;
        if (worst.values().min >= 0) return clamp; // always beyond the edge
        const ClampSide side{clamp->kind, clamp->arg(1), inner};
        if (std::any_of(m_sides.begin(), m_sides.end(), [&](const ClampSide &s) { return sameSide(s, side); }))
            return inner;
        m_sides.push_back(side);
        const Expr condition = (*this)(makeBinary(ExprKind::Lt, write(worst, DType::Int32), makeInt(0)));
        if (!isInt(condition, 1) && !known(condition)) m_whole = m_whole ? logicalAnd(m_whole, condition) : condition;
        return inner;
    }

    bool known(Expr condition) const {
        std::vector<Expr> parts;
        if (m_whole) appendConjuncts(m_whole, parts);
        return std::any_of(parts.begin(), parts.end(), [&](Expr e) { return structurallyEqual(e, condition); });
    }

    /// A copy in which the sides that were found are gone.
    Stmt opened(Stmt stmt) {
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(opened(child));
        if (stmt->kind != StmtKind::Store) return withChildren(stmt, children);
        return withOwnExprs(stmt, [&](Expr value) {
            return rewriteBottomUp(value, [&](Expr e) {
                const bool side = isClamp(e) && std::any_of(m_sides.begin(), m_sides.end(), [&](const ClampSide &s) {
                                      return sameSide(s, {e->kind, e->arg(1), e->arg(0)});
                                  });
                return side ? e->arg(0) : e;
            });
        });
    }

    std::vector<ClampSide> m_sides; // of the vector at hand
    Expr m_whole;                   // holds where none of them is reached
    int m_copied = 0;
};

} // namespace

void separateClamps(LoopProgram &program, const PassContext &) {
    ClampSeparator separator;
    const Stmt root = separator.visit(program.root);
    if (!root || separator.foundNone()) return; // then all else stays as it is, too
    program.root = root;
    numberNodes(program);
}

} // namespace loopscope
