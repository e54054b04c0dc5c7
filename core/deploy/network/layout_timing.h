#pragma once
// Kernels of several writings of a network timed here and now, in turn, so that what disturbs the machine disturbs all
// of them: built as a plan of the network would build them, with records where there are some.

#include "base/outcome.h"
#include "deploy/network/build.h"
#include "language/target/target.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <atomic>
#include <string>
#include <vector>

namespace loopscope {

struct TimedKernel {
    double seconds = 0;   // 0: nothing is run for it
    std::string schedule; // "default", "record 0123456789abcdef"
};

struct WritingToTime {
    const GraphFunction *function = nullptr;
    const Partition *partition = nullptr;
};

struct KernelTiming {
    int rounds = 3; // in which every writing has a turn
    int runs = 3;   // of a turn; its median counts, and of the turns the least
    const std::atomic<bool> *cancelled = nullptr;
};

/// Of each writing by kernel of its partition, on inputs drawn by the seed of the options. The machine is this thread's
/// alone while kernels are timed. Refuses what cannot be built, and when it is cancelled.
Outcome<std::vector<std::vector<TimedKernel>>> timeKernels(const std::vector<WritingToTime> &writings,
                                                           const Target &target, const BuildOptions &options,
                                                           const KernelTiming &timing = {});

} // namespace loopscope
