#pragma once
// `tune --runner bundle:DIR`: a search whose candidates are run on another machine, continued from what earlier rounds
// of its folder brought.

#include "progress.h"
#include "records/bundle/bundle_measurer.h"
#include "tune_command.h"
#include "tune_report.h"
#include "workbench/trial_log.h"

#include <memory>
#include <vector>

namespace loopscope {

/// Throws UsageError where options of bundles contradict others.
void checkBundleOptions(const RunnerChoice &choice);

/// Of each task; what they wait for is told by `progress`.
std::vector<std::unique_ptr<Measurer>> bundleMeasurers(const TuneOptions &options, const std::vector<TunedTask> &tasks,
                                                       Progress &progress);

/// What earlier rounds of the folder brought becomes trials that the search continues from (takeRounds).
void takeBundleRounds(const TuneOptions &options, TunedTask &tuned, Measurer &measurer, TrialLog &log,
                      Progress &progress, const std::atomic<bool> &cancelled);

} // namespace loopscope
