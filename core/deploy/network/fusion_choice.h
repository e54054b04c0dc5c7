#pragma once
// Better fusion confirmed by measuring (of merged branches see merge_choice.h): every kernel that better fusion made by
// joining what stands in front of a node is built and timed beside the kernels that it would be without that, and taken
// apart again where these are faster.

#include "base/outcome.h"
#include "deploy/network/default_schedule.h"
#include "deploy/network/layout_timing.h"
#include "language/target/target.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <string>
#include <vector>

namespace loopscope {

struct FusionRequest {
    Target target;
    std::vector<std::string> logs = {};
    DefaultScheduleOptions estimate = {};
    KernelTiming timing = {};
    int threads = 0; // that build
};

/// Less than what timings differ by is no reason to take a kernel apart.
inline constexpr double kWorthApart = 0.97;

/// Of all kernels of one task together, or of branches that were merged.
struct FusionTrial {
    std::string kernel;
    std::string node; // of the first of them, what things were joined to
    size_t kernels = 1;
    double joined = 0; // seconds
    double apart = 0;
    bool stays = true;   // joined
    size_t branches = 0; // that became one; 0: it is about what stands in front of a node
    [[nodiscard]] std::string text() const;
};

struct FusionChoice {
    Partition partition;
    std::vector<FusionTrial> trials;
    std::vector<std::string> notes; // of the logs
};

/// Types must be known, and dims be numbers. Refuses what cannot be built. Throws Error when a log cannot be read.
Outcome<FusionChoice> confirmFusion(const GraphFunction &function, const FusionRequest &request);

} // namespace loopscope
