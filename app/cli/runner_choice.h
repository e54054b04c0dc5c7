#pragma once
// What candidates are run on: the target itself, or the executor (core/executor), which needs no GPU.

#include "choice.h"
#include "measure/measurer.h"

#include <string>

namespace loopscope {

struct RunnerChoice {
    std::string runner;   // empty: the target itself
    int sampleBlocks = 0; // MeasureOptions::sampleBlocks

    [[nodiscard]] bool executor() const { return runner == "executor"; }
};

/// Throws UsageError for a runner there is not, or one that cannot run kernels of the target.
void applyRunner(const RunnerChoice &choice, const Target &target, MeasureOptions &options);

} // namespace loopscope
