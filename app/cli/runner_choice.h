#pragma once
// What candidates are run on: the target itself, the executor (core/codegen/executor), which needs no GPU, or another
// machine through bundles.

#include "choice.h"
#include "measure/measurer.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace loopscope {

struct RunnerChoice {
    std::string runner;        // empty: the target itself
    int sampleBlocks = 0;      // MeasureOptions::sampleBlocks
    std::string bundleCommand; // that has a round of bundle:DIR run; `{}`: its folder

    [[nodiscard]] bool executor() const { return runner == "executor"; }
    /// Another machine, through folders (core/records/bundle).
    [[nodiscard]] bool bundled() const { return runner.starts_with("bundle:"); }
    /// Nodes of a cluster (core/measure/fleet).
    [[nodiscard]] bool slurm() const { return runner == "slurm" || runner.starts_with("slurm:"); }
    [[nodiscard]] std::string slurmWords() const { return runner.substr(std::min(runner.size(), size_t{6})); }
    [[nodiscard]] std::string bundleFolder() const { return runner.substr(std::string_view("bundle:").size()); }
};

/// Not of bundles and clusters. Throws UsageError for a runner there is not, or one that cannot run kernels of the
/// target.
void applyRunner(const RunnerChoice &choice, const Target &target, MeasureOptions &options);

} // namespace loopscope
