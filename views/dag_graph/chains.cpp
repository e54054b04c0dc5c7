#include "views/dag_graph/chains.h"

#include <algorithm>
#include <map>
#include <utility>

namespace loopscope {

namespace {

bool mayBeLink(const StageFact &stage) { return stage.elementwise && stage.kind == StageKind::Compute; }

} // namespace

std::vector<Chain> elementwiseChains(const DagFacts &facts) {
    std::map<std::pair<int, int>, bool> direct;
    for (const ReadFact &read : facts.reads) direct[{read.from, read.to}] = read.direct;
    const auto count = facts.stages.size();
    std::vector<int> next(count, -1), previous(count, -1);
    for (size_t i = 0; i < count; ++i) {
        const StageFact &stage = facts.stages[i];
        if (!mayBeLink(stage) || stage.consumers.size() != 1) continue;
        const auto consumer = static_cast<size_t>(stage.consumers[0]);
        if (!mayBeLink(facts.stages[consumer]) || previous[consumer] >= 0) continue;
        if (!direct[{static_cast<int>(i), static_cast<int>(consumer)}]) continue;
        next[i] = static_cast<int>(consumer);
        previous[consumer] = static_cast<int>(i);
    }
    std::vector<Chain> chains;
    for (size_t i = 0; i < count; ++i) {
        if (previous[i] >= 0 || next[i] < 0) continue;
        Chain chain;
        for (int at = static_cast<int>(i); at >= 0; at = next[static_cast<size_t>(at)]) {
            chain.stages.push_back(at);
            for (const int producer : facts.stages[static_cast<size_t>(at)].producers) {
                const StageFact &input = facts.stages[static_cast<size_t>(producer)];
                // What the first link reads is where the data comes from and stays to be seen.
                if (chain.stages.size() > 1 && input.kind == StageKind::Placeholder && input.consumers.size() == 1)
                    chain.inputs.push_back(producer);
            }
        }
        chains.push_back(std::move(chain));
    }
    return chains;
}

} // namespace loopscope
