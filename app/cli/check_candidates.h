#pragma once
// `loopscope-cli measure --runner executor`: one schedule, or all of a log, run on the executor. Nothing is timed.

#include "measure_command.h"

namespace loopscope {

/// `loaded` is for a GPU.
int runCheckCandidates(const MeasureCommandOptions &options, LoadedTask &loaded);

} // namespace loopscope
