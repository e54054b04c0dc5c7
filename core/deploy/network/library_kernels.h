#pragma once
// Kernels of a network that other libraries may compute instead: which library has a routine for one (recognised from
// its DAG, with the tail that was fused to it), how the two compare here, timed in turn, and the kernel offloaded to
// the library where that is faster. Libraries are tried in a process of their own first, since they abort on machines
// they do not know; their answers are compared with the kernel's before their times count.

#include "base/outcome.h"
#include "deploy/plan/execution_plan.h"
#include "language/target/target.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct KernelTask;

struct LibraryOptions {
    /// As baselineName says them; of equal times the first counts.
    std::vector<std::string> names = {};
    /// By name of a node: which library computes its kernel, whatever the times are.
    std::map<std::string, std::string, std::less<>> pinned = {};
    double worthIt = 0.97; // of the kernel's time, that a routine may take to replace it
    int rounds = 7;
    double turnSeconds = 2e-3;
    uint64_t seed = 0; // of the inputs
};

/// One library and one kernel.
struct LibraryTrial {
    std::string kernel;
    std::vector<std::string> nodes; // of the first kernel with that task
    std::string library;            // "oneDNN 2.6.3"; as in `names` where it could not be opened
    std::string implementation;     // "jit:avx2"
    std::string problem;            // "matmul 128x768x768 + bias"
    double seconds = 0;
    double ownSeconds = 0;
    bool chosen = false;
    std::string refusal; // why it was not timed, or does not count; empty: it was
    [[nodiscard]] std::string text() const;
};

/// `kernels` are those of `tasks`; some get a routine for code. A library that cannot be opened is told once, with an
/// empty kernel; kernels that none has a routine for are not told. Nobody else times anything meanwhile. Refuses a
/// pinned node whose library cannot have it.
Outcome<std::vector<LibraryTrial>> offloadToLibraries(const GraphFunction &function, const Partition &partition,
                                                      const std::vector<KernelTask> &tasks, const Target &target,
                                                      const LibraryOptions &options, std::vector<PlanKernel> &kernels);

} // namespace loopscope
