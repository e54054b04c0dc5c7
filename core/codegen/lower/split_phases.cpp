// A strided convolution backwards reads an input spread out by its stride m: of m neighbouring results each sums other
// terms of the kernel, and the terms in between are zero. The tile of a reduction is split into its phases, the results
// whose coordinates leave the same remainder, and each phase steps over the reduce loop by m from its first term:
//
//     for w in 0..T: C[w] = 0                        for p in 0..m (copied out):
//     for r in 0..K:                                     for q in 0..T/m: C[m*q + p] = 0
//         for w in 0..T:                      ->         for s in 0..K/m:   r = m*s + (c - p) mod m
//             C[w] += (w + r)%m == c ? A : 0                 for q in 0..T/m: C[m*q + p] += A
//
// Where the first term depends on loops outside of the tile it is computed there. Neither T nor K needs to be a
// multiple of m. What the zeros are multiplied with is taken to be finite.

#include "codegen/lower/known_zeros.h"
#include "codegen/lower/passes.h"
#include "codegen/lower/simplify_program.h"
#include "codegen/lower/zero_terms.h"

#include "base/check.h"
#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace loopscope {

namespace {

constexpr int64_t kMaxPhases = 16; // copies of a tile: strides of 4 in two dimensions

int64_t inverse(int64_t a, int64_t m) {
    for (int64_t x = 1; x < m; ++x)
        if (floorModInt(a * x, m) == 1) return x;
    return 1;
}

/// The loops and guards around a single store.
struct Chain {
    std::vector<Stmt> loops; // outermost first
    Stmt store;
};

std::optional<Chain> chainOf(Stmt stmt) {
    Chain chain;
    while (stmt->kind == StmtKind::For || (stmt->kind == StmtKind::If && stmt->childCount == 1)) {
        if (stmt->kind == StmtKind::For) {
            if (stmt->min || constantExtent(stmt) < 1) return std::nullopt;
            chain.loops.push_back(stmt);
        }
        stmt = stmt->children[0];
    }
    if (stmt->kind != StmtKind::Store) return std::nullopt;
    chain.store = stmt;
    return chain;
}

/// What becomes of a loop of the tile.
struct PhaseLoop {
    Stmt loop;
    int64_t modulus = 1;
};
struct SteppedLoop {
    Stmt loop;
    int64_t modulus = 1;
    Expr first; // of the values that matter, in the variables of the loops around
};

struct PhasePlan {
    std::vector<PhaseLoop> phases;
    std::vector<SteppedLoop> stepped;
    std::vector<Expr> decided; // conditions that a phase decides
    std::vector<Expr> settled; // parts of the term that hold where it is added

    [[nodiscard]] int64_t copies() const {
        int64_t count = 1;
        for (const PhaseLoop &phase : phases) count *= phase.modulus;
        return count;
    }
};

class PhaseSplitter : public ProgramSimplifier {
  public:
    explicit PhaseSplitter(const KnownZeros &zeros) : m_zeros(zeros) {}

  protected:
    Stmt visitBlock(Stmt block) override {
        std::vector<Stmt> statements(block->body().begin(), block->body().end());
        for (size_t i = 0; i + 1 < statements.size(); ++i) {
            const std::optional<Chain> init = chainOf(statements[i]);
            if (!init || !init->store->reductionInit) continue;
            size_t j = i + 1;
            while (j < statements.size() && !touches(statements[j], init->store->buffer)) ++j;
            if (j == statements.size()) continue;
            const Stmt phases = split(statements[i], *init, statements[j]);
            if (!phases) continue;
            statements[j] = phases;
            statements.erase(statements.begin() + static_cast<ptrdiff_t>(i));
            --i;
        }
        return ProgramSimplifier::visitBlock(makeBlock(statements));
    }

  private:
    Stmt split(Stmt initNest, const Chain &init, Stmt nest) {
        const std::optional<Chain> chain = chainOf(nest);
        if (!chain || chain->store->buffer != init.store->buffer || chain->store->reductionInit) return {};
        const Expr term = addedTerm(chain->store);
        if (!term) return {};
        const size_t outer = mark();
        for (const Stmt loop : chain->loops) bindRange(loop->var, {0, constantExtent(loop) - 1});
        PhasePlan plan;
        for (const Congruence &found : m_zeros.of(term, *this)) addTo(plan, found, *chain, init);
        release(outer);
        if (plan.settled.empty()) return {};
        return copies(plan, initNest, nest);
    }

    static bool within(const std::vector<Stmt> &loops, Expr e) {
        return std::any_of(loops.begin(), loops.end(), [&](Stmt loop) { return usesVar(e, loop->var); });
    }

    /// Adds what makes the condition constant to the plan; nothing where it cannot be done.
    static void addTo(PhasePlan &plan, const Congruence &found, const Chain &chain, const Chain &init) {
        const int64_t m = found.modulus;
        SplitSum outside; // what loops around the nest contribute
        std::vector<int64_t> coefficients(chain.loops.size(), 0);
        for (const SplitTerm &term : found.linear.all()) {
            if (term.scale % m == 0) continue;
            const auto own = std::find_if(chain.loops.begin(), chain.loops.end(),
                                          [&](Stmt loop) { return term.base.is(loop->var); });
            if (own != chain.loops.end() && term.lower == 1 && term.upper == 0)
                coefficients[static_cast<size_t>(own - chain.loops.begin())] = floorModInt(term.scale, m);
            else if (within(chain.loops, term.base))
                return;
            else
                outside.add(term);
        }
        // The innermost reduce loop that can go to the next term at once.
        size_t solved = chain.loops.size();
        for (size_t i = 0; i < chain.loops.size(); ++i) {
            const Stmt loop = chain.loops[i];
            const bool taken = std::any_of(plan.stepped.begin(), plan.stepped.end(),
                                           [&](const SteppedLoop &s) { return s.loop.node() == loop.node(); });
            if (!taken && runsOver(loop, IterKind::Reduction) && std::gcd(coefficients[i], m) == 1) solved = i;
        }
        const bool steps = solved < chain.loops.size();
        if (!steps && outside.count > 0) return;
        // coefficient * r + the rest = remainder (mod m), solved for r.
        const int64_t factor = steps ? inverse(coefficients[solved], m) : 1;
        Expr first = makeInt(floorModInt((found.remainder - found.linear.constant) * factor, m));
        for (SplitTerm term : outside.all()) {
            term.scale = floorModInt(-term.scale * factor, m);
            SplitSum one;
            one.add(term);
            first = write(one, DType::Int32) + first;
        }
        PhasePlan next = plan;
        for (size_t i = 0; i < chain.loops.size(); ++i) {
            if (coefficients[i] == 0 || i == solved) continue;
            const Stmt loop = chain.loops[i];
            first = first + loop->var * floorModInt(-coefficients[i] * factor, m);
            if (steps && i < solved) continue;
            if (!runsOver(loop, IterKind::Spatial) || !addPhases(next, loop, m / std::gcd(coefficients[i], m), init))
                return;
        }
        if (steps) {
            next.stepped.push_back({chain.loops[solved], m, floorMod(first, m)});
        } else {
            next.decided.push_back(found.holds());
        }
        next.settled.push_back(found.part);
        if (next.copies() <= kMaxPhases) plan = next;
    }

    static bool addPhases(PhasePlan &plan, Stmt loop, int64_t modulus, const Chain &init) {
        for (PhaseLoop &phase : plan.phases)
            if (phase.loop.node() == loop.node()) {
                phase.modulus = std::lcm(phase.modulus, modulus);
                return true;
            }
        if (loop->loop == LoopKind::Parallel || loop->loop >= LoopKind::BlockX) return false;
        const bool found =
            std::any_of(init.loops.begin(), init.loops.end(), [&](Stmt other) { return sameIterator(loop, other); });
        if (found) plan.phases.push_back({loop, modulus});
        return found;
    }

    Stmt copies(const PhasePlan &plan, Stmt initNest, Stmt nest) {
        std::vector<Stmt> statements;
        std::vector<int64_t> phase(plan.phases.size(), 0);
        for (int64_t copy = 0; copy < plan.copies(); ++copy) {
            int64_t rest = copy;
            for (size_t i = phase.size(); i > 0; --i) {
                phase[i - 1] = rest % plan.phases[i - 1].modulus;
                rest /= plan.phases[i - 1].modulus;
            }
            statements.push_back(inPhase(initNest, plan, phase, {}));
            bool empty = false;
            const Stmt sum = inPhase(nest, plan, phase, {}, &empty);
            if (!empty) statements.push_back(sum);
        }
        return makeBlock(statements);
    }

    Stmt inPhase(Stmt stmt, const PhasePlan &plan, const std::vector<int64_t> &phase, Substitution map,
                 bool *empty = nullptr) {
        const auto replaced = [&](Expr e) { return substitute(e, map); };
        if (stmt->kind == StmtKind::Store) {
            const auto holds = [&](Expr part) {
                return std::any_of(plan.settled.begin(), plan.settled.end(), [&](Expr e) { return e.is(part); });
            };
            for (const Expr condition : plan.decided) {
                if (empty == nullptr) continue;
                const Expr decided = (*this)(substitute(condition, map));
                LOOPSCOPE_CHECK(decided->kind == ExprKind::IntImm, "a phase that does not decide its condition");
                if (decided->intValue == 0) *empty = true;
            }
            return withOwnExprs(stmt, [&](Expr e) { return replaced(withoutParts(e, holds)); });
        }
        if (stmt->kind == StmtKind::If) {
            const Stmt body = inPhase(stmt->children[0], plan, phase, map, empty);
            return makeIf(replaced(stmt->value), body, {}, stmt->likely);
        }
        StmtNode node = *stmt.node();
        node.var = makeVar(stmt->var->name());
        Expr value = node.var;
        for (size_t i = 0; i < plan.phases.size(); ++i) {
            const PhaseLoop &phases = plan.phases[i];
            if (!sameIterator(phases.loop, stmt)) continue;
            value = node.var * phases.modulus + phase[i];
            node.extent = makeInt(floorDivInt(constantExtent(stmt) - phase[i] + phases.modulus - 1, phases.modulus));
        }
        for (const SteppedLoop &steps : plan.stepped) {
            if (!sameIterator(steps.loop, stmt)) continue;
            Substitution phases; // of loops further in, too
            for (size_t i = 0; i < plan.phases.size(); ++i)
                phases.emplace_back(plan.phases[i].loop->var.node(), makeInt(phase[i]));
            const Expr first = replaced(substitute(steps.first, phases));
            value = node.var * steps.modulus + first;
            const Expr last = makeInt(constantExtent(stmt) + steps.modulus - 1) - first;
            node.extent = (*this)(floorDiv(last, steps.modulus));
            if (node.extent->kind != ExprKind::IntImm && node.loop == LoopKind::Unrolled) node.loop = LoopKind::Serial;
        }
        map.emplace_back(stmt->var.node(), value);
        const size_t outer = mark();
        bindRange(node.var, {0, std::max<int64_t>(0, sum(node.extent).values().max - 1)});
        const Stmt body = inPhase(stmt->children[0], plan, phase, map, empty);
        release(outer);
        return makeFor(node, body);
    }

    const KnownZeros &m_zeros;
};

bool hasRemainders(Stmt root) {
    bool found = false;
    forEachStmt(root, [&](Stmt s) {
        if (s->kind != StmtKind::Store || s->reductionInit) return;
        postOrder(s->value,
                  [&](Expr e) { found = found || (e->kind == ExprKind::Eq && e->arg(0)->kind == ExprKind::FloorMod); });
    });
    return found;
}

} // namespace

void splitPhases(LoopProgram &program, const PassContext &) {
    if (!hasRemainders(program.root)) return;
    const KnownZeros zeros(program.root);
    program.root = PhaseSplitter(zeros).visit(program.root);
    LOOPSCOPE_CHECK(static_cast<bool>(program.root), "a program that does nothing");
    numberNodes(program);
}

} // namespace loopscope
