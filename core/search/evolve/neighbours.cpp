#include "search/evolve/neighbours.h"

#include "search/evolve/mutation.h"
#include "search/target_rules.h"

#include <unordered_set>

namespace loopscope {

std::vector<Candidate> neighboursOf(const std::vector<Candidate> &parents, const Task &task,
                                    const SearchOptions &options, int round, size_t draws,
                                    const std::function<bool(const StateKey &)> &known, ThreadPool &pool,
                                    std::vector<Scratch> &scratch, const std::atomic<bool> *stopped) {
    const auto &mutations = rulesFor(task.target.kind).mutations;
    // A register tile has the size its registers give it: another shape of it takes two changes, of which either alone
    // makes it slower.
    const size_t kinds = mutations.size() + 1;
    std::vector<Candidate> drawn(mutations.empty() ? 0 : parents.size() * draws);
    pool.forEach(
        drawn.size(),
        [&](size_t i, int worker) {
            if (stopped && *stopped) return;
            Random random(options.seed, (static_cast<uint64_t>(round) << 40) + (uint64_t{1} << 38) + i);
            Scratch &own = scratch[static_cast<size_t>(worker)];
            const Candidate &from = parents[i / draws];
            const size_t kind = i % kinds;
            const bool twice = kind == mutations.size();
            const Mutation &mutation = twice ? kMutateTileSize : *mutations[kind];
            const MutationContext context{task.dag, task.target, options, random, own, from.locked.get()};
            auto steps = mutation.apply(context, from.steps);
            if (steps && twice) steps = mutation.apply(context, *steps);
            if (!steps) return;
            Candidate &child = drawn[i];
            child.sketch = from.sketch;
            child.steps = std::move(*steps);
            std::string reason;
            if (!evaluateLocked(options, task.dag, task.target, child, own, reason)) return;
            child.lineage.generation = 1;
            child.lineage.mutation = mutation.name;
            if (!from.ancestry) return;
            child.ancestry = makeDescendant(from.ancestry, from.steps, child.steps);
            child.ancestry->round = round;
            child.ancestry->generation = 1;
            child.ancestry->mutation = mutation.name;
        },
        8);
    if (stopped && *stopped) return {};
    std::vector<Candidate> found;
    std::unordered_set<StateKey> seen; // two changes may end where they began
    for (const Candidate &parent : parents) seen.insert(parent.key);
    for (Candidate &candidate : drawn)
        if (candidate.rows && !known(candidate.key) && seen.insert(candidate.key).second)
            found.push_back(std::move(candidate));
    return found;
}

} // namespace loopscope
