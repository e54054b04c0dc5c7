#pragma once
// `loopscope-cli bundle export LOG`: records of a tuning log, a round for each of its tasks, without their workloads.

#include "bundle_command.h"

namespace loopscope {

/// The file is a tuning log, packed or not, and no workload.
bool isTuningLog(const std::string &path);
int runBundleExportLog(const BundleCommandOptions &options);

} // namespace loopscope
