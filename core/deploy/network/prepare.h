#pragma once
// A network from its file to the tasks it becomes: read, bound to numbers, optimised, partitioned. The first half of
// every command about networks, and of the window's document.

#include "deploy/network/fusion_choice.h"
#include "deploy/network/layout_choice.h"
#include "deploy/network/strategy_choice.h"
#include "networks/graph/module.h"
#include "networks/partition/partition.h"
#include "networks/partition/tasks.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_report.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// Compatible fusion knows networks as TVM extracts tasks from them: branches of one input are not merged.
inline int usualLevel(FusionMode mode) { return mode == FusionMode::Compatible ? 2 : 3; }
/// As TVM sees networks, compatible fusion does without rules that would join what it keeps apart.
void setPassesFor(FusionMode mode, GraphPassContext &context);

struct NetworkChoice {
    std::string path; // .onnx or .net
    /// Numbers for symbols among the dims of an ONNX file, and for the parameters of a .net text.
    std::map<std::string, int64_t> dims = {};
    std::optional<uint64_t> randomWeights = std::nullopt; // seed of weights that stand in for the file's
    int level = usualLevel(FusionMode::Compatible);       // of passes
    std::vector<std::string> required = {};
    std::vector<std::string> disabled = {};
    FusionMode fusion = FusionMode::Compatible;
    std::optional<StrategyRequest> strategies = std::nullopt;   // none: every operator as it stands
    std::optional<NetworkLayoutRequest> layouts = std::nullopt; // none: as the network has them
    /// Better fusion confirmed by times; what the request says of partitions counts instead of `fusion`.
    std::optional<FusionRequest> confirmed = std::nullopt;
    int threads = 0;                                         // that fold constants; 0: as many as the machine has
    size_t mostDecided = std::numeric_limits<size_t>::max(); // nodes; strategies are left out where there are more
    /// Of all passes, the choice of implementations and layouts with them; what it captures outlives the preparation.
    PassWatch watch = nullptr;
    const std::atomic<bool> *cancelled = nullptr; // then whatever comes after is missing
};

struct ReadNetwork {
    Module module; // all values of its functions have types
    std::vector<std::string> notes;
};

/// The symbols of the dims of inputs get the numbers that these arrays (.npy, by the input's name) have, so that nobody
/// need say them. Throws Error where two of them disagree, or a file cannot be read.
void bindDims(const std::map<std::string, std::string> &arrays, NetworkChoice &choice);

/// Throws Error: the file cannot be read, or with all that is wrong with it, a line each.
ReadNetwork readNetwork(const NetworkChoice &choice);

struct PreparedNetwork {
    Module imported;
    Module optimised;
    PassReport report;
    Partition partition; // of the optimised main
    std::vector<NetworkTask> tasks;
    std::vector<std::string> notes;
    std::vector<Decision> decisions = {};                 // where strategies were asked for
    std::optional<NetworkLayouts> layouts = std::nullopt; // the same
    std::vector<FusionTrial> fusion = {};                 // where it was confirmed
};

/// Throws Error, also for passes that there are not and for one that refuses.
PreparedNetwork prepareNetwork(const NetworkChoice &choice);
/// "the dims batch, height have no number, and kernels are made for known sizes (--dim batch=N)", or nothing where all
/// dims of the parameters have one.
std::string openDims(const GraphFunction &function);
PreparedNetwork prepareNetwork(ReadNetwork read, const NetworkChoice &choice);

} // namespace loopscope
