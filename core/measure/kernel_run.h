#pragma once
// What happens in the process that runs kernels: load, run between guard pages, compare with the reference, time. It
// has nothing to lose: whatever a kernel does to it, the report in shared memory and the runner outside tell the story.

#include "answer/reference_data.h"
#include "measure/messages.h"
#include "measure/run_report.h"
#include "runtime/runner.h"

#include <functional>

namespace loopscope {

/// Loads a kernel or refuses to; throws Error when it cannot be loaded.
using RunnerFactory = std::function<Outcome<std::unique_ptr<Runner>>(const BuiltKernel &)>;

/// Checks every kernel of the request, then times it (several: interleaved). Results go to `report`. `runnerFor` is for
/// tests of kernels of other kinds.
void runKernels(const RunRequest &request, const SetupMessage &setup, const ReferenceView &reference, RunReport &report,
                const RunnerFactory &runnerFor = makeRunner);

} // namespace loopscope
