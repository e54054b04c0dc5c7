#pragma once
// What the driver says of the GPU of this machine. The program that has a driver to ask says how, once, at its start;
// this module knows no driver.

#include "base/outcome.h"
#include "language/target/gpu_limits.h"
#include "language/target/target.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace loopscope {

struct DetectedGpu {
    std::string name; // as the driver has it: "NVIDIA A100-SXM4-40GB"
    std::string arch; // "sm_80"
    GpuLimits limits; // model is not looked at
    int64_t l2Bytes = 0;
    int maxThreadsPerBlock = 1024;
};

using GpuDetector = Outcome<DetectedGpu> (*)();
/// Of this process; null: nobody can ask.
void setGpuDetector(GpuDetector detector);
/// Refused where there is no GPU, no driver, or nobody to ask it.
Outcome<DetectedGpu> detectGpu();
/// That GPU, where it runs kernels of the target; refused where it is older, and where the target names another model,
/// whose times these would not be.
Outcome<DetectedGpu> gpuThatRuns(const Target &target);
/// parseTarget of what a person gave: `cuda` that names neither a model nor an architecture is this machine's GPU where
/// there is one. Not for targets of logs, which mean the machine they come from.
Target parseTargetHere(std::string_view text);

} // namespace loopscope
