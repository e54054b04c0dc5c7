#include "schedule/derived_dags.h"

#include "language/dag/derivation_table.h"
#include "schedule/derive_dag.h"

namespace loopscope {

namespace {

enum class Derivation : int64_t { CacheRead, CacheWrite, Rfactor };

DerivationTable::Key keyOf(Derivation kind, StageId stage) { return {{}, {static_cast<int64_t>(kind), stage.value}}; }

template <typename Derive> DagPtr derived(const LoopState &state, DerivationTable::Key key, Derive &&derive) {
    return state.originalDag()->derived().get(state.dag(), std::move(key), std::forward<Derive>(derive));
}

} // namespace

DagPtr cacheReadDag(const LoopState &state, StageId stage, const std::string &scope,
                    const std::vector<StageId> &readers) {
    DerivationTable::Key key = keyOf(Derivation::CacheRead, stage);
    key.scope = scope;
    for (const StageId reader : readers) key.numbers.push_back(reader.value);
    return derived(state, std::move(key), [&] { return deriveCacheRead(*state.dag(), stage.index(), scope, readers); });
}

DagPtr cacheWriteDag(const LoopState &state, StageId stage, const std::string &scope) {
    DerivationTable::Key key = keyOf(Derivation::CacheWrite, stage);
    key.scope = scope;
    return derived(state, std::move(key), [&] { return deriveCacheWrite(*state.dag(), stage.index(), scope); });
}

DagPtr rfactorDag(const LoopState &state, StageId id, IterId leaf, int factorIter) {
    const Stage &stage = state.stage(id);
    DerivationTable::Key key = keyOf(Derivation::Rfactor, id);
    key.numbers.reserve(key.numbers.size() + 2 + stage.iters.size() + 5 * stage.relations.size());
    key.numbers.push_back(factorIter);
    key.numbers.push_back(stage.iters[leaf.index()].node);
    for (const Iter &iter : stage.iters) key.numbers.push_back(iter.node);
    for (const IterRelation &r : stage.relations)
        key.numbers.insert(key.numbers.end(), {r.kind == IterRelation::Kind::Fuse ? -1 : r.length, r.byFactor ? 1 : 0,
                                               r.parent, r.outer, r.inner});
    return derived(state, std::move(key),
                   [&] { return deriveRfactor(*state.dag(), id.index(), stage, leaf, factorIter); });
}

} // namespace loopscope
