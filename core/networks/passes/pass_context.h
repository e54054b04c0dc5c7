#pragma once
// What a run of passes is told, and what it tells: a parameter, handed down; nothing of it is global.

#include "base/thread_pool.h"
#include "networks/passes/fact.h"
#include "networks/passes/pass.h"
#include "networks/passes/pass_report.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

struct PassOptions {
    /// Constants are folded up to so many bytes, or up to as many as their inputs have.
    uint64_t foldedBytes = uint64_t{64} << 20;
    /// All foldings of a run may add so many bytes to a network: a file of some lines would grow to gigabytes.
    uint64_t grownBytes = uint64_t{256} << 20;
    /// So many rewrites by simplifyAlgebra for each node there is; what goes on for longer is in a cycle.
    size_t stepsPerNode = 16;
    /// Branches from one value that mergeParallel makes one of, at least.
    size_t mergedBranches = 2;
    /// Names of nodes that mergeParallel leaves alone.
    std::set<std::string, std::less<>> unmerged = {};
};

struct PassVerdict {
    bool stop = false;                             // run no further pass
    std::optional<Refusal> refusal = std::nullopt; // there is something wrong: the same, and said so
};
/// Sees the network before and after a pass, and never changes it.
using PassWatch = std::function<PassVerdict(const PassInfo &, const Module &before, const Module &after)>;

struct GraphPassContext {
    /// Passes of this level and below are made.
    int level = 2;
    /// Made whatever their level.
    std::vector<std::string> required = {};
    /// Not made, even when they are required. Names of sequences and of rules ("simplifyAlgebra.geluOfErf") are known,
    /// too.
    std::vector<std::string> disabled = {};
    PassOptions options = {};
    /// Told of every pass that was made; null: nobody is.
    PassWatch watch = nullptr;
    /// What evaluates constants; null: a pool of one thread.
    ThreadPool *pool = nullptr;

    /// What holds for the module that is handed in; kept up to date by the run.
    Facts facts = {};
    PassReport report = {};
    /// By how much results of folding were larger than what they were folded of; PassOptions::grownBytes is the most.
    uint64_t grownBytes = 0;

    [[nodiscard]] bool isRequired(const std::string &name) const;
    [[nodiscard]] bool isDisabled(const std::string &name) const;
};

} // namespace loopscope
