#pragma once
// A program for a GPU judged by the executor: its answer on the inputs of its task, and whatever else is wrong with it.
// The same inputs, reference and bounds as for kernels that run on the machine itself.

#include "codegen/executor/executor.h"
#include "measure/answer/reference_data.h"
#include "measure/messages.h"
#include "measure/run_report.h"
#include "measure/trial.h"

#include <string>

namespace loopscope {

struct ExecutorCheck {
    TrialError error = TrialError::None;
    std::string reason; // of a failure, a sentence a line; else what was run
    double maxError = 0;
    ExecutorRun run; // on random inputs
};

/// What a run is to be limited to so that it takes seconds: of large kernels not all blocks are run.
ExecutorOptions executorOptions(int64_t sampleBlocks, uint64_t seed);

/// `reference` is of the program's task.
ExecutorCheck checkOnExecutor(const LoopProgram &program, const ReferenceView &reference,
                              const ExecutorOptions &options = {});

// --- In the workers -------------------------------------------------------------------------------------------------

/// What the run child needs to make the program again; refuses programs the executor cannot run.
Outcome<BuiltKernel> buildForExecutor(const LoopProgram &program, const std::string &steps);
/// Checks the kernels of a request, one after the other, in a process of its own.
void runOnExecutor(const RunRequest &request, const SetupMessage &setup, const ReferenceView &reference,
                   RunReport &report);

} // namespace loopscope
