#pragma once
// Profiles as Chrome's trace events, which timeline viewers open: our own both ways, and those that ONNX Runtime
// writes, so that both are laid side by side by what they compute.

#include "deploy/plan/profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

/// One timed thing of a trace, whoever wrote it.
struct TracedKernel {
    std::string name;                          // of the node
    std::string op;                            // "Conv", "conv_add_relu"
    std::vector<std::vector<int64_t>> outputs; // dims
    TimeSummary time;                          // over the runs that the trace holds
};

/// Events of one run, one after the other by their medians; what a profile knows beside them stands in "args".
std::string chromeTrace(const PlanProfile &profile);

/// The kernels of a trace in the order in which they first ran: "Node" events named ..._kernel_time of ONNX Runtime, or
/// those of chromeTrace. Throws Error for what is no trace, and for a trace without kernels. `path` is for sentences.
std::vector<TracedKernel> readTrace(std::string_view text, const std::string &path);
std::vector<TracedKernel> tracedKernels(const PlanProfile &profile);

/// Kernels that compute the same, in order: pairs of positions; what has no partner stands alone. Equal are those whose
/// outputs have the same dims; of several ways to pair them the one with most pairs, operators of like names first.
std::vector<std::pair<std::optional<size_t>, std::optional<size_t>>>
alignTraces(const std::vector<TracedKernel> &ours, const std::vector<TracedKernel> &theirs);

} // namespace loopscope
