#include "runner_choice.h"

#include "base/outcome.h"
#include "language/target/detected_gpu.h"

#include <fmt/format.h>

namespace loopscope {

void applyRunner(const RunnerChoice &choice, const Target &target, MeasureOptions &options) {
    const std::string kind = target.isGpu() ? "cuda" : "llvm";
    if (choice.bundled())
        throw UsageError(fmt::format("--runner {} is for tune; `bundle export` takes schedules of a log to another "
                                     "machine",
                                     choice.runner));
    if (choice.slurm()) throw UsageError(fmt::format("--runner {} is for tune and net tune", choice.runner));
    if (!choice.runner.empty() && choice.runner != kind && !choice.executor())
        throw UsageError(fmt::format("--runner {}: for this target '{}' (the target itself){} is legal", choice.runner,
                                     kind,
                                     target.isGpu() ? " or 'executor' (this processor, without times)"
                                                    : ", and of tune 'slurm[:nodes=N,...]' (nodes of a cluster)"));
    if (choice.executor() && !target.isGpu())
        throw UsageError("--runner executor runs kernels of GPUs on this processor; give --target cuda");
    if (choice.sampleBlocks > 0 && !choice.executor())
        throw UsageError("--sample-blocks is for --runner executor; a GPU runs all blocks");
    if (target.isGpu() && !choice.executor())
        if (const auto gpu = gpuThatRuns(target); !gpu)
            throw Error(
                fmt::format("no GPU here runs kernels of this target: {}; --runner executor "
                            "checks their answers on this processor, tune --runner bundle:DIR has them timed on "
                            "another machine",
                            gpu.why()));
    options.runner = choice.executor() ? RunnerKind::Executor : RunnerKind::Machine;
    options.sampleBlocks = choice.sampleBlocks;
}

} // namespace loopscope
