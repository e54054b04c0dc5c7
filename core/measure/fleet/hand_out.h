#pragma once
// How many candidates a node is given: the rule that the fleet and its simulation (tests/benchmarks/fleet_bench.cpp)
// share.

#include <algorithm>
#include <cstddef>

namespace loopscope {

/// Of `waiting` candidates, for a node of so many cores that has `batches` in flight, of so many nodes that measure. As
/// many as it builds at a time, and fewer towards the end of a round, so that all end together; a second batch waits on
/// the node while the first is measured, or the node would wait for its next one. 0: none now.
inline size_t handedOut(size_t waiting, size_t nodes, size_t cores, size_t batches) {
    nodes = std::max<size_t>(1, nodes);
    if (waiting == 0 || batches >= 2 || (batches == 1 && waiting < nodes)) return 0;
    return std::clamp<size_t>(waiting / (2 * nodes), 1, std::max<size_t>(1, cores));
}

} // namespace loopscope
