#pragma once
// Strategies of a whole network: which implementation each node gets, with what tuning logs know of each, and the
// network written so. Every implementation has kernels, and so task keys, of its own; their records are its evidence.

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "language/target/target.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"
#include "networks/strategy/choose.h"
#include "networks/strategy/pins.h"
#include "networks/strategy/strategy_table.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct NetworkStrategyOptions {
    ChoiceSettings settings = {}; // its pin is not looked at
    Pins pins = {};
    std::vector<std::string> logs = {}; // none: levels decide
    FusionMode fusion = FusionMode::Compatible;
    /// On which records count; needed where there are logs.
    std::optional<Target> measuredOn = {};
};

/// For whoever prepares a network: from which table, for what.
struct StrategyRequest {
    StrategyTable table;
    StrategyTarget target;
    NetworkStrategyOptions options = {};
};

struct NetworkStrategies {
    std::vector<Decision> decisions; // in the order of the nodes; those that nothing is run for (shape) have none
    std::vector<std::string> notes;  // of the logs
};

/// Types must be known. Refuses what chooseImplementation refuses, and pins of nodes that there are not. Throws Error
/// when a log cannot be read.
Outcome<NetworkStrategies> decideStrategies(const GraphFunction &function, const StrategyTable &table,
                                            const StrategyTarget &target, const NetworkStrategyOptions &options,
                                            ThreadPool &pool);

/// The library that a kernel can be left to (library_kernels.h), as baselineName says it; empty: none, or one that
/// Loopscope does not call.
std::string libraryOf(const Implementation &implementation);
/// By node that a library was chosen for.
std::map<std::string, std::string, std::less<>> librariesOf(const std::vector<Decision> &decisions);

/// The function with every node written as its decision says; those that a library computes stay. Refuses
/// implementations of libraries that Loopscope does not call.
Outcome<FunctionPtr> withStrategies(const GraphFunction &function, const NetworkStrategies &strategies,
                                    ThreadPool &pool);

} // namespace loopscope
