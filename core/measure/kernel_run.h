#pragma once
// What happens in the process that runs kernels: load, run between guard pages, compare with the reference, time. It
// has nothing to lose: whatever a kernel does to it, the report in shared memory and the runner outside tell the story.

#include "answer/reference_data.h"
#include "measure/messages.h"
#include "measure/run_report.h"

namespace loopscope {

/// Checks every kernel of the request, then times it (several: interleaved). Results go to `report`.
void runKernels(const RunRequest &request, const SetupMessage &setup, const ReferenceView &reference,
                RunReport &report);

} // namespace loopscope
