#pragma once
// What happens in the process that runs kernels: load, run between guard pages, compare with the reference, time. It
// has nothing to lose: whatever a kernel does to it, the report in shared memory and the runner outside tell the story.

#include "codegen/runtime/runner.h"
#include "measure/answer/reference_data.h"
#include "measure/messages.h"
#include "measure/run_report.h"

#include <cstddef>
#include <functional>
#include <span>

namespace loopscope {

/// Loads a kernel or refuses to; throws Error when it cannot be loaded.
using RunnerFactory = std::function<Outcome<std::unique_ptr<Runner>>(const BuiltKernel &)>;

/// Checks every kernel of the request, then times it (several: interleaved). Results go to `report`. `runnerFor` is for
/// tests of kernels of other kinds. `answers`: memory for what comes out (RunRequest::answers), which then is not
/// compared.
void runKernels(const RunRequest &request, const SetupMessage &setup, const ReferenceView &reference, RunReport &report,
                const RunnerFactory &runnerFor = makeRunner, std::span<std::byte> answers = {});

} // namespace loopscope
