#pragma once
// Statements (networks/graph/statement.h) run for reference: whoever runs functions hands in how.

#include "base/outcome.h"
#include "language/tensor/wide_tensor.h"
#include "networks/graph/dim_match.h"
#include "networks/graph/module.h"
#include "networks/op/packed_call.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct StatementRun {
    const Module &module; // well formed
    /// Its results, in their order.
    std::function<Outcome<std::vector<WideTensor>>(const GraphFunction &function, std::vector<WideTensor> inputs)> run;
    SymbolNumbers &symbols; // of the function whose statement it is
    int64_t &tripsLeft;     // of all loops, and calls among them
    int64_t maxTrips = 0;   // with which it began
    int64_t maxElements = 0;
    const PackedFinder &packed; // may be empty
};

/// Inputs that are left out are null. Refuses with a sentence that begins with the node.
Outcome<std::vector<WideTensor>> runStatement(const GraphFunction &function, const Node &node,
                                              std::span<const WideTensor *const> inputs, StatementRun &run);

} // namespace loopscope
