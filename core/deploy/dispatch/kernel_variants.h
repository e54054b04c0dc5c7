#pragma once
// What a dispatch table chooses from: the schedules of a kernel at some sizes, each for itself and generalised.

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "deploy/dispatch/general_kernel.h"
#include "deploy/network/default_schedule.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace loopscope {

/// The schedule of one size: from a log, or what the analytic estimate picks.
struct PointSchedule {
    int64_t size = 0;
    Steps steps;
    std::string source; // "record 0123456789abcdef", "default"
};

struct KernelVariant {
    GeneralKernel kernel;
    std::string origin; // "default at n = 64"
    BuiltKernel code;
};

struct FixedKernel {
    PointSchedule schedule;
    BuiltKernel code; // for that size alone
};

struct KernelVariants {
    std::vector<FixedKernel> fixed;      // by point
    std::vector<KernelVariant> variants; // different programs, that hold for all sizes together
    std::vector<std::string> notes;      // schedules that hold for their own size alone, and why
};

/// The schedules each for its own size alone, compiled. Refuses as kernelVariants does.
Outcome<std::vector<FixedKernel>> fixedKernels(const KernelFamily &family, const std::vector<PointSchedule> &points,
                                               ThreadPool &pool);

/// Compiles everything. `defaults` are for sizes that no schedule of a point generalises to. Refuses a kernel that has
/// no code at some point.
Outcome<KernelVariants> kernelVariants(const KernelFamily &family, const std::vector<PointSchedule> &points,
                                       const DefaultScheduleOptions &defaults, ThreadPool &pool);

} // namespace loopscope
