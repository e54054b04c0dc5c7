// Where a split does not divide its extent, a guard keeps the tail out at every step. Three means take guards away from
// where the time goes:
//
//   peel      for i.0 in 0..5: ... if (i.0*8 + i.1 < 37)    ->  for i.0 in 0..4: ...;  then i.0 = 4 with i.1 in 0..5
//   version   [init; reduce] of one tile, guarded           ->  if (the tile is whole) unguarded else guarded
//             or with padding read inside of it
//   borders   the same, where only the first and last tile  ->  if (first) x = 0 inside else if (last) ... else ...
//             of a row read padding
//   tighten   for i.1 in 0..8: if (base + i.1 < 37) ...     ->  for i.1 in 0..min(8, 37 - base): ...;
//                                                               of a vector where that is a constant
//
// Peeling needs cut points that are constants, so it serves loops that are neither parallel nor guarded together with
// an outer loop; versions serve the rest where it matters, around a register tile and around vectors; tightening serves
// what is left of the tails.

#include "codegen/lower/guards.h"
#include "codegen/lower/passes.h"
#include "codegen/lower/simplify_program.h"
#include "codegen/lower/zero_terms.h"
#include "language/expr/open_sum.h"

#include "base/check.h"
#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <array>
#include <optional>

namespace loopscope {

namespace {

constexpr int kMaxSegments = 3;
constexpr int kStatementBudget = 400; // copies made by peeling and versions, in statements

bool isInit(Stmt stmt) {
    while (stmt->kind == StmtKind::For || (stmt->kind == StmtKind::If && stmt->childCount == 1))
        stmt = stmt->children[0];
    return stmt->kind == StmtKind::Store && stmt->reductionInit;
}

class TailSplitter : public ProgramSimplifier {
  protected:
    Stmt visitLoop(Stmt loop) override {
        const bool peelable = loop->loop == LoopKind::Serial || loop->loop == LoopKind::Unrolled;
        if (peelable && constantExtent(loop) > 1)
            if (const Stmt peeled = peel(loop)) return peeled;
        if (loop->loop == LoopKind::Vectorized) {
            if (const Stmt hoisted = withInvariantGuardsOutside(loop)) return visit(hoisted);
            if (const Stmt versions = version(loop)) return versions;
        }
        const Stmt body = visit(loop->children[0]);
        if (!body) return {};
        return withoutGuards(loop, body);
    }

    Stmt visitBlock(Stmt block) override {
        if (m_insideTile || !std::any_of(block->body().begin(), block->body().end(), isInit))
            return ProgramSimplifier::visitBlock(block);
        m_insideTile = true;
        const Stmt result = tile(block);
        m_insideTile = false;
        return result;
    }

  private:
    /// Where guards are looked for besides If statements: the choices (of padding) in the values stored.
    enum class Values : uint8_t { None, Plain, All }; // Plain: not those a reduction adds up

    /// Calls `found(part, inside)` for every conjunct of a guard below `stmt`, with the loops between bound to their
    /// ranges.
    template <typename Found>
    void forEachGuard(Stmt stmt, Values values, std::vector<const ExprNode *> &inside, Found &&found) {
        std::vector<Expr> skipped;
        const auto visitCondition = [&](Expr condition) {
            std::vector<Expr> parts;
            appendConjuncts(condition, parts);
            for (const Expr part : parts)
                if (std::none_of(skipped.begin(), skipped.end(), [&](Expr e) { return e.is(part); }))
                    found(part, inside);
        };
        switch (stmt->kind) {
        case StmtKind::For: {
            const size_t outer = mark();
            Interval range = {0, sum(stmt->extent).values().max - 1};
            if (stmt->min) range = range + sum(stmt->min).values();
            bindRange(stmt->var, range);
            inside.push_back(stmt->var.node());
            forEachGuard(stmt->children[0], values, inside, found);
            inside.pop_back();
            release(outer);
            return;
        }
        case StmtKind::If:
            visitCondition(stmt->value);
            break;
        case StmtKind::Store:
            if (const Expr term = values == Values::All ? addedTerm(stmt) : Expr();
                term && sumsBesideWindow(stmt, term, inside))
                for (const Expr part : partsNeeded(term)) // a branch outside of the tile will do (see skipPadding)
                    if (decidedOutsideTile(part, stmt, inside)) skipped.push_back(part);
            if (values == Values::All || (values == Values::Plain && !readsItself(stmt)))
                postOrder(stmt->value, [&](Expr e) {
                    if (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse) visitCondition(e->arg(0));
                });
            return;
        default:
            break;
        }
        for (const Stmt child : stmt->body()) forEachGuard(child, values, inside, found);
    }

    static bool readsItself(Stmt store) {
        bool reads = store->reductionInit;
        postOrder(store->value,
                  [&](Expr e) { reads = reads || (e->kind == ExprKind::Load && e->symbol == store->buffer); });
        return reads;
    }

    bool afford(int statements) {
        if (m_copied + statements > kStatementBudget) return false;
        m_copied += statements;
        return true;
    }

    Stmt peel(Stmt loop) {
        const int64_t extent = constantExtent(loop);
        const int64_t first = loop->min ? sum(loop->min).values().min : 0;
        if (loop->min && loop->min->kind != ExprKind::IntImm) return {};
        std::vector<int64_t> cuts;
        // A tile of a reduction is unrolled: what its own loops choose is constant there, and peeling would cost it its
        // registers.
        for (const Values values : {Values::None, m_insideTile ? Values::Plain : Values::All}) {
            std::vector<const ExprNode *> inside;
            forEachGuard(loop->children[0], values, inside, [&](Expr part, const auto &innerVars) {
                if (static_cast<int>(cuts.size()) + 1 < kMaxSegments)
                    appendCuts(viewFrom(inequalityOf(*this, part), loop->var, innerVars), first, extent, cuts);
            });
        }
        if (cuts.empty()) return {};
        std::sort(cuts.begin(), cuts.end());
        if (!afford(countStmts(loop) * static_cast<int>(cuts.size()))) return {};
        cuts.push_back(first + extent);
        std::vector<Stmt> segments;
        int64_t begin = first;
        for (const int64_t end : cuts) {
            StmtNode segment = *loop.node();
            segment.min = begin == 0 ? Expr() : makeInt(begin);
            segment.extent = makeInt(end - begin);
            const Stmt copy = copyStmt(newStmt(segment));
            if (const Stmt kept = visit(copy)) segments.push_back(kept);
            begin = end;
        }
        return segments.empty() ? Stmt() : makeBlock(segments);
    }

    Stmt tile(Stmt block) {
        Stmt result = borders(block);
        if (!result) result = version(block);
        return result ? result : ProgramSimplifier::visitBlock(block);
    }

    /// Padding that the tile itself decides once its place, an expression of loops outside, is known.
    struct Border {
        Expr part;
        SplitSum inside; // inside + the place < 0
        int64_t scale = 1;
        int64_t reach = 0; // the most of what is inside
    };
    struct Place {
        SplitSum unscaled;
        Interval range;
        std::vector<Border> parts;

        /// What lies inside, whole, has no part of it.
        [[nodiscard]] bool within(int64_t value) const {
            return std::all_of(parts.begin(), parts.end(),
                               [&](const Border &b) { return b.scale * value + b.reach < 0; });
        }
    };

    /// A tile's place in a row of tiles of which only the first and the last touch the border; none when there is no
    /// such row.
    std::optional<Place> placeOf(Stmt block) {
        std::vector<Place> places;
        std::vector<const ExprNode *> inside;
        const size_t outer = mark();
        forEachUpdate(block, inside, [&](Stmt update, Expr term) {
            if (!sumsBesideWindow(update, term, inside)) return; // copies would save too little
            for (const Expr part : partsNeeded(term)) {
                if (decidedOutsideTile(part, update, inside)) continue;
                const Inequality inequality = inequalityOf(*this, part);
                const LoopView view = viewFrom(inequality, Expr(), inside);
                if (!view.separable || view.outer.count != 1) continue;
                Border border{part, {}, view.outer.terms[0].scale, view.inner.max};
                border.inside.constant = inequality.sum.constant;
                for (const SplitTerm &term : inequality.sum.all())
                    if (!term.base.is(view.outer.terms[0].base)) border.inside.add(term);
                SplitTerm own = view.outer.terms[0];
                own.scale = 1;
                Place place;
                place.unscaled.add(own);
                place.range = own.values();
                const Expr written = write(place.unscaled, DType::Int32);
                const auto same = std::find_if(places.begin(), places.end(), [&](const Place &other) {
                    return structurallyEqual(write(other.unscaled, DType::Int32), written);
                });
                (same == places.end() ? places.emplace_back(place) : *same).parts.push_back(border);
            }
        });
        release(outer);
        for (const Place &place : places) {
            const Interval range = place.range;
            if (range.max <= range.min || (place.within(range.min) && place.within(range.max))) continue;
            if (range.max == range.min + 1 || (place.within(range.min + 1) && place.within(range.max - 1)))
                return place;
        }
        return std::nullopt;
    }

    /// One copy of the tile for each border and one for what lies between; null where that is no help.
    Stmt borders(Stmt block) {
        const std::optional<Place> place = placeOf(block);
        if (!place) return {};
        const Interval range = place->range;
        const bool between = range.max > range.min + 1;
        if (!afford(countStmts(block) * (between ? 2 : 1))) return {};
        const auto at = [&](int64_t value) {
            return tile(copyStmt(withValues(block, [&](Expr e) {
                const auto own = std::find_if(place->parts.begin(), place->parts.end(),
                                              [&](const Border &b) { return b.part.is(e); });
                if (own == place->parts.end()) return e;
                SplitSum sum = own->inside;
                sum.constant += own->scale * value;
                return makeBinary(ExprKind::Lt, write(sum, DType::Int32), makeInt(0));
            })));
        };
        const auto is = [&](int64_t value) {
            return makeBinary(ExprKind::Eq, write(place->unscaled, DType::Int32), makeInt(value));
        };
        Stmt last = at(range.max);
        // Any place between will do: they are alike.
        if (between) last = either(is(range.max), last, at(range.min + 1));
        return either(is(range.min), at(range.min), last);
    }

    /// Each may be null: nothing is left to do there.
    static Stmt either(Expr condition, Stmt then, Stmt otherwise) {
        if (then) return makeIf(condition, then, otherwise);
        return otherwise ? makeIf(logicalNot(condition), otherwise) : Stmt();
    }

    template <typename Found> void forEachUpdate(Stmt stmt, std::vector<const ExprNode *> &inside, Found &&found) {
        if (stmt->kind == StmtKind::For) {
            bindRange(stmt->var, {0, sum(stmt->extent).values().max - 1});
            inside.push_back(stmt->var.node());
        }
        if (const Expr term = addedTerm(stmt)) found(stmt, term);
        for (const Stmt child : stmt->body()) forEachUpdate(child, inside, found);
        if (stmt->kind == StmtKind::For) inside.pop_back();
    }

    template <typename Rewrite> static Stmt withValues(Stmt stmt, const Rewrite &rewrite) {
        if (stmt->kind == StmtKind::Store)
            return withOwnExprs(stmt, [&](Expr e) { return rewriteBottomUp(e, rewrite); });
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(withValues(child, rewrite));
        return withChildren(stmt, children);
    }

    /// `if (all guards inside hold for the whole of stmt) stmt without them; else stmt`; null when that is no help.
    Stmt version(Stmt stmt) {
        Expr whole;
        std::vector<const ExprNode *> dropped;
        std::vector<const ExprNode *> inside;
        const Values values = stmt->kind == StmtKind::For ? Values::None : Values::All;
        forEachGuard(stmt, values, inside, [&](Expr part, const auto &innerVars) {
            // Around a vector, only what differs between its lanes is worth two versions.
            if (stmt->kind == StmtKind::For && !usesVar(part, stmt->var)) return;
            const LoopView view = viewFrom(inequalityOf(*this, part), Expr(), innerVars);
            if (!view.separable || view.outer.count == 0) return;
            SplitSum worst;
            worst.add(view.outer);
            worst.constant += view.inner.max;
            if (worst.values().min >= 0) return; // never whole
            dropped.push_back(part.node());
            const Expr holds = makeBinary(ExprKind::Lt, write(worst, DType::Int32), makeInt(0));
            const Expr condition = (*this)(holds);
            if (isInt(condition, 1)) return;
            if (!whole || !mentions(whole, condition)) whole = whole ? logicalAnd(whole, condition) : condition;
        });
        if (!whole || !afford(countStmts(stmt))) return {};
        const Stmt unguarded = visit(copyStmt(strip(stmt, dropped)));
        const Stmt guarded = stmt->kind == StmtKind::For ? guardedLoop(stmt) : ProgramSimplifier::visitBlock(stmt);
        if (!unguarded || !guarded) return guarded;
        return makeIf(whole, unguarded, guarded, true);
    }

    /// Guards that are the same in every lane, outside of the vector; null when there are none.
    static Stmt withInvariantGuardsOutside(Stmt loop) {
        Stmt body = loop->children[0];
        Expr invariant;
        Expr varying;
        bool likely = true;
        for (; body->kind == StmtKind::If && body->childCount == 1; body = body->children[0]) {
            std::vector<Expr> parts;
            appendConjuncts(body->value, parts);
            for (const Expr part : parts) {
                Expr &side = usesVar(part, loop->var) ? varying : invariant;
                side = side ? logicalAnd(side, part) : part;
            }
            likely = likely && body->likely;
        }
        if (!invariant) return {};
        if (varying) body = makeIf(varying, body, {}, likely);
        return makeIf(invariant, withChildren(loop, {&body, 1}), {}, likely);
    }

    Stmt guardedLoop(Stmt loop) {
        const Stmt body = visit(loop->children[0]);
        return body ? withoutGuards(loop, body) : Stmt();
    }

    static bool mentions(Expr conjunction, Expr part) {
        std::vector<Expr> parts;
        appendConjuncts(conjunction, parts);
        return std::any_of(parts.begin(), parts.end(), [&](Expr e) { return structurallyEqual(e, part); });
    }

    /// Without the conjuncts `dropped` of its guards.
    static Stmt strip(Stmt stmt, const std::vector<const ExprNode *> &dropped) {
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(strip(child, dropped));
        if (stmt->kind == StmtKind::Store)
            return withOwnExprs(stmt, [&](Expr value) {
                return rewriteBottomUp(value, [&](Expr e) {
                    if (e->kind != ExprKind::Call || e->intrinsic != Intrinsic::IfThenElse) return e;
                    const Expr rest = without(e->arg(0), dropped);
                    if (!rest) return e->arg(1);
                    return rest.is(e->arg(0)) ? e : ifThenElse(rest, e->arg(1), e->arg(2));
                });
            });
        if (stmt->kind != StmtKind::If || stmt->childCount > 1) return withChildren(stmt, children);
        const Expr rest = without(stmt->value, dropped);
        return rest ? makeIf(rest, children[0], {}, stmt->likely) : children[0];
    }

    /// What is left of a conjunction; null when nothing is.
    static Expr without(Expr condition, const std::vector<const ExprNode *> &dropped) {
        std::vector<Expr> parts;
        appendConjuncts(condition, parts);
        Expr rest;
        bool same = true;
        for (const Expr part : parts)
            if (std::find(dropped.begin(), dropped.end(), part.node()) == dropped.end())
                rest = rest ? logicalAnd(rest, part) : part;
            else
                same = false;
        return same ? condition : rest;
    }

    /// The loop around `body`, whose leading guards move out of the loop or into its trip count.
    Stmt withoutGuards(Stmt loop, Stmt body) {
        std::vector<Expr> guards;
        bool likely = true;
        while (body->kind == StmtKind::If && body->childCount == 1) {
            appendConjuncts(body->value, guards);
            likely = likely && body->likely;
            body = body->children[0];
        }
        if (guards.empty()) return withChildren(loop, {&body, 1});
        std::vector<Expr> outside;
        StmtNode node = *loop.node();
        for (size_t i = guards.size(); i > 0; --i) {
            const Expr guard = guards[i - 1];
            if (!usesVar(guard, loop->var))
                outside.push_back(guard);
            else if (!tighten(node, guard))
                body = makeIf(guard, body, {}, likely);
        }
        Stmt result = makeFor(node, body);
        for (const Expr guard : outside) result = makeIf(guard, result, {}, likely);
        return result;
    }

    /// Lets the trip count end where `guard` stops to hold.
    bool tighten(StmtNode &loop, Expr guard) {
        if (loop.loop >= LoopKind::BlockX || loop.min) return false;
        const LoopView view = viewFrom(inequalityOf(*this, guard), loop.var, {});
        if (!view.separable || view.coefficient <= 0) return false;
        // a*v + outer + k < 0  <=>  v < ceil(-(outer + k) / a)
        SplitSum limit;
        limit.add(view.outer, -1);
        limit.constant += -view.inner.max + view.coefficient - 1;
        const SplitSum trips = floorDiv(limit, view.coefficient, DType::Int32);
        if (!staysIn(trips, DType::Int32)) return false;
        const Expr tightened = makeBinary(ExprKind::Min, loop.extent, write(trips, DType::Int32));
        const Expr extent = (*this)(tightened);
        if (loop.loop == LoopKind::Vectorized && extent->kind != ExprKind::IntImm) return false; // so many lanes
        loop.extent = extent;
        if (loop.extent->kind != ExprKind::IntImm && loop.loop == LoopKind::Unrolled) loop.loop = LoopKind::Serial;
        return true;
    }

    int m_copied = 0;
    bool m_insideTile = false; // of a reduction
};

} // namespace

void partitionLoops(LoopProgram &program, const PassContext &) {
    program.root = TailSplitter().visit(program.root);
    LOOPSCOPE_CHECK(static_cast<bool>(program.root), "a program that does nothing");
    numberNodes(program);
}

} // namespace loopscope
