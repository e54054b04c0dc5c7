#include "codegen/lower/known_zeros.h"

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/simplify_program.h"
#include "codegen/lower/zero_terms.h"

#include <algorithm>
#include <optional>
#include <set>

namespace loopscope {

namespace {

std::optional<Congruence> congruenceOf(Expr condition, Simplifier &simplifier) {
    if (condition->kind != ExprKind::Eq) return std::nullopt;
    const Expr mod = condition->arg(0);
    if (mod->kind != ExprKind::FloorMod || condition->arg(1)->kind != ExprKind::IntImm) return std::nullopt;
    if (mod->arg(1)->kind != ExprKind::IntImm || mod->arg(1)->intValue < 2 || containsLoad(mod)) return std::nullopt;
    return Congruence{condition, simplifier.sum(mod->arg(0)), mod->arg(1)->intValue, condition->arg(1)->intValue};
}

} // namespace

Expr Congruence::holds() const {
    const Expr left = floorMod(write(linear, DType::Int32), modulus);
    return makeBinary(ExprKind::Eq, left, makeInt(remainder));
}

class KnownZeros::Learner : public ProgramSimplifier {
  public:
    explicit Learner(KnownZeros &zeros) : m_zeros(zeros) {}

  protected:
    Stmt visitStore(Stmt store) override {
        const Buffer *buffer = store->buffer;
        if (buffer->scope == MemoryScope::Argument) return store;
        const bool first = m_stored.insert(buffer).second;
        m_zeros.m_lattices.erase(buffer);
        if (!first || store->reductionInit) return store;
        for (const Congruence &found : m_zeros.of(store->value, *this))
            for (uint32_t d = 0; d < store->indexCount; ++d) {
                SplitSum apart = sum(store->indices[d]);
                const bool moves = apart.count > 0;
                apart.add(found.linear, -1);
                const bool together = std::all_of(apart.all().begin(), apart.all().end(), [&](const SplitTerm &term) {
                    return term.scale % found.modulus == 0;
                });
                if (!moves || !together) continue;
                const int64_t remainder = floorModInt(found.remainder + apart.constant, found.modulus);
                m_zeros.m_lattices[buffer].push_back({d, found.modulus, remainder});
            }
        return store;
    }

  private:
    KnownZeros &m_zeros;
    std::set<const Buffer *> m_stored;
};

KnownZeros::KnownZeros(Stmt root) { Learner(*this).visit(root); }

std::vector<Congruence> KnownZeros::of(Expr term, Simplifier &simplifier) const {
    std::vector<Congruence> result;
    for (const Expr part : partsNeeded(term))
        if (const std::optional<Congruence> found = congruenceOf(part, simplifier)) result.push_back(*found);
    postOrder(term, [&](Expr e) {
        if (e->kind != ExprKind::Load) return;
        const auto known = m_lattices.find(e->symbol);
        if (known == m_lattices.end() || !zeroWithout(term, e)) return;
        for (const Lattice &lattice : known->second)
            result.push_back({e, simplifier.sum(e->arg(lattice.dimension)), lattice.modulus, lattice.remainder});
    });
    return result;
}

} // namespace loopscope
