#include "search/annotate/sample_population.h"

#include "search/annotate/annotate_rule.h"

#include <unordered_set>

namespace loopscope {

SampledPopulation samplePopulation(const Task &task, const std::vector<Sketch> &sketches, const SearchOptions &options,
                                   int round, const std::function<bool(const StateKey &)> &known, ThreadPool &pool,
                                   std::vector<Scratch> &scratch, const std::atomic<bool> *stopped,
                                   const LockedStart *within) {
    SampledPopulation population;
    population.validOfSketch.resize(sketches.size());
    if (sketches.empty() && within == nullptr) return population;
    std::unordered_set<StateKey> seen;
    const auto batch = static_cast<size_t>(options.population);
    constexpr int kBarrenBatches = 3;
    int barren = 0;
    while (static_cast<int>(population.candidates.size()) < options.minInitialPopulation && barren < kBarrenBatches) {
        std::vector<Candidate> drawn(batch);
        std::vector<std::string> reasons(batch);
        const auto first = static_cast<uint64_t>(population.attempts);
        pool.forEach(
            batch,
            [&](size_t i, int worker) {
                if (stopped && *stopped) return;
                Random random(options.seed, (static_cast<uint64_t>(round) << 40) + first + i);
                Scratch &own = scratch[static_cast<size_t>(worker)];
                if (within != nullptr) {
                    if (!drawWithin(*within, task, sketches, options, random, own, drawn[i], reasons[i])) return;
                } else {
                    const size_t sketch = random.index(sketches.size());
                    const AnnotateContext context{task.target, options, random, own};
                    auto state = annotate(context, sketches[sketch].state);
                    if (!state) {
                        reasons[i] = state.why();
                        return;
                    }
                    drawn[i].steps = state->steps();
                    drawn[i].sketch = static_cast<int>(sketch);
                    if (!evaluate(task.dag, task.target, drawn[i], own, reasons[i])) return;
                }
                drawn[i].ancestry = makeOrigin(drawn[i].steps);
                drawn[i].ancestry->round = round;
                drawn[i].ancestry->sketch = drawn[i].sketch;
            },
            8);
        if (stopped && *stopped) return {};
        population.attempts += static_cast<int>(batch);
        bool fresh = false;
        for (size_t i = 0; i < batch; ++i) {
            if (!drawn[i].rows) {
                ++population.refusals[reasons[i]];
            } else if (!known(drawn[i].key) && seen.insert(drawn[i].key).second) {
                if (drawn[i].sketch >= 0) ++population.validOfSketch[static_cast<size_t>(drawn[i].sketch)];
                population.candidates.push_back(std::move(drawn[i]));
                fresh = true;
            }
        }
        barren = fresh ? 0 : barren + 1;
    }
    return population;
}

} // namespace loopscope
