// A convolution that reads its input through a choice, the element or the zero of the padding, adds zeros at the
// borders: of a picture of 7 by 7 under a kernel of 3 by 3, every fifth term. Where the tile of results is in
// registers, the choice moves out of the sum and stands as a branch around what is not zero:
//
//     for ry: for rx: for x (unrolled):                       for ry:
//         acc[x] += (1 <= y + ry < 8 &&              ->          if 1 <= y + ry < 8:
//                    1 <= x + rx < 8 ? D : 0) * W                    for rx (unrolled): for x (unrolled):
//                                                                        if 1 <= x + rx < 8: acc[x] += D * W
//
// A condition that looks at loops outside of the register tile is a branch outside of it. One that looks at the tile
// itself would be a branch at every step; it is only taken out where everything it looks at is a constant once the
// reduce loop is written out. What remains is a choice, as it was.

#include "codegen/lower/passes.h"
#include "codegen/lower/zero_terms.h"

#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

constexpr int64_t kMaxCopies = 512; // of the update, by reduce loops that are written out

/// The loops around one update, outermost first, with nothing beside them.
struct UpdateNest {
    std::vector<Stmt> loops;
    Stmt update;
    Expr term;

    [[nodiscard]] std::vector<const ExprNode *> variables() const {
        std::vector<const ExprNode *> result;
        for (const Stmt loop : loops) result.push_back(loop->var.node());
        return result;
    }
};

std::optional<UpdateNest> updateNest(Stmt stmt) {
    UpdateNest nest;
    for (; stmt->kind == StmtKind::For; stmt = stmt->children[0]) nest.loops.push_back(stmt);
    nest.term = addedTerm(stmt);
    if (!nest.term || nest.loops.empty()) return std::nullopt;
    nest.update = stmt;
    return nest;
}

class PaddingSkipper {
  public:
    Stmt visit(Stmt stmt) {
        if (const std::optional<UpdateNest> nest = updateNest(stmt)) return skip(stmt, *nest);
        const bool loop = stmt->kind == StmtKind::For;
        if (loop) m_around.push_back(stmt);
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(visit(child));
        if (loop) m_around.pop_back();
        return loop ? rebuilt(stmt, children[0]) : withChildren(stmt, children);
    }

  private:
    Stmt skip(Stmt stmt, const UpdateNest &nest) {
        std::vector<const ExprNode *> variables;
        for (const Stmt loop : m_around)
            if (loop->stage == nest.update->stage && runsOver(loop, IterKind::Reduction))
                variables.push_back(loop->var.node());
        for (const ExprNode *var : nest.variables()) variables.push_back(var);
        if (!sumsBesideWindow(nest.update, nest.term, variables)) return stmt;
        std::vector<Expr> guards(nest.loops.size() + 1); // by the number of loops around
        std::vector<Expr> taken;
        for (const Expr part : partsNeeded(nest.term)) {
            size_t place = nest.loops.size();
            while (place > 0 && !usesVar(part, nest.loops[place - 1]->var)) --place;
            if (place > 0 && nest.loops[place - 1]->loop == LoopKind::Vectorized) continue; // lanes differ
            if (!decidedOutsideTile(part, nest.update, nest.variables()) && !writeOut(part, nest)) continue;
            guards[place] = guards[place] ? logicalAnd(guards[place], part) : part;
            taken.push_back(part);
        }
        if (taken.empty()) return stmt;
        Stmt body = withOwnExprs(nest.update, [&](Expr value) {
            return withoutParts(value, [&](Expr part) {
                return std::any_of(taken.begin(), taken.end(), [&](Expr e) { return e.is(part); });
            });
        });
        for (size_t i = nest.loops.size(); i > 0; --i) {
            if (guards[i]) body = makeIf(guards[i], body);
            body = rebuilt(nest.loops[i - 1], body);
        }
        return guards[0] ? makeIf(guards[0], body) : body;
    }

    Stmt rebuilt(Stmt loop, Stmt body) const {
        if (!isWritten(loop, m_written)) return withChildren(loop, {&body, 1});
        StmtNode node = *loop.node();
        node.loop = LoopKind::Unrolled;
        return makeFor(node, body);
    }

    static bool isWritten(Stmt loop, const std::vector<const StmtNode *> &written) {
        return std::find(written.begin(), written.end(), loop.node()) != written.end();
    }

    /// Marks the loops that make `part` a constant as to be written out; false when that cannot be, or not shortly.
    bool writeOut(Expr part, const UpdateNest &nest) {
        if (nest.update->buffer->scope != MemoryScope::Register || containsLoad(part)) return false;
        std::vector<Stmt> loops = m_around;
        loops.insert(loops.end(), nest.loops.begin(), nest.loops.end());
        std::vector<const StmtNode *> wanted = m_written;
        bool all = true;
        postOrder(part, [&](Expr e) {
            if (e->kind != ExprKind::Var) return;
            const auto own = std::find_if(loops.begin(), loops.end(), [&](Stmt loop) { return loop->var.is(e); });
            if (own == loops.end() || !canBeWrittenOut(loops, own))
                all = false;
            else if ((*own)->loop == LoopKind::Serial)
                wanted.push_back(own->node());
        });
        if (!all) return false;
        int64_t copies = 1;
        for (const Stmt loop : loops)
            if (copies <= kMaxCopies && (loop->loop == LoopKind::Unrolled || isWritten(loop, wanted)))
                copies *= std::max<int64_t>(1, constantExtent(loop));
        if (copies > kMaxCopies) return false;
        m_written = std::move(wanted);
        return true;
    }

    /// A loop of the reduction or inside of one of its reduce loops: what is around them all is no part of the tile.
    static bool canBeWrittenOut(const std::vector<Stmt> &loops, std::vector<Stmt>::const_iterator loop) {
        const Stmt own = *loop;
        if (constantExtent(own) < 1 || (own->min && own->min->kind != ExprKind::IntImm)) return false;
        if (own->loop == LoopKind::Unrolled) return true;
        return own->loop == LoopKind::Serial && std::any_of(loops.begin(), loop + 1, [&](Stmt outer) {
                   return outer->stage == own->stage && runsOver(outer, IterKind::Reduction);
               });
    }

    std::vector<Stmt> m_around;              // loops around what is visited
    std::vector<const StmtNode *> m_written; // loops to be written out
};

} // namespace

void skipPadding(LoopProgram &program, const PassContext &) {
    program.root = PaddingSkipper().visit(program.root);
    numberNodes(program);
}

} // namespace loopscope
