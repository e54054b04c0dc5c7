#pragma once
// Runs of elementwise stages that only lead from one to the next: scale, shift, clip. Drawn as one node they leave room
// for what matters; a network's graph shrinks to a third.

#include "views/dag_graph/dag_facts.h"

namespace loopscope {

struct Chain {
    std::vector<int> stages; // in order, at least two
    std::vector<int> inputs; // placeholders that nobody else reads
};

/// No output and no reduction is in a chain; every link but the last is read by the next one alone.
std::vector<Chain> elementwiseChains(const DagFacts &facts);

} // namespace loopscope
