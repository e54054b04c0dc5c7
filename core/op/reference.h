#pragma once
// A whole function run in double precision by the reference evaluation of its operators: slow, and the measure of
// everything that is fast.

#include "graph/function.h"
#include "outcome.h"
#include "tensor/host_tensor.h"
#include "tensor/wide_tensor.h"
#include "thread_pool.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace loopscope {

struct ReferenceOptions {
    int threads = 0;                         // <= 0: as many as the machine has
    int64_t mostElements = int64_t{1} << 30; // of one value; more is refused before there is memory for it
    bool keepAll = false;                    // values of all nodes
    std::vector<ValueId> wanted;             // kept beside the results
    /// Called for every node's output as it is computed, in the order of the nodes; false ends the run early.
    std::function<bool(ValueId value, const WideTensor &tensor)> onValue;
};

/// Results, wanted values or all, by value. Inputs are one for each parameter, of its type (a symbolic dim may be any
/// number, the same wherever the same symbol stands). Refuses with the node that failed.
Outcome<std::map<ValueId, WideTensor>> runReference(const GraphFunction &function, std::span<const HostTensor> inputs,
                                                    const ReferenceOptions &options = {});

} // namespace loopscope
