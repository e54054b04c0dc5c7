#pragma once
// `tune --runner bundle:DIR`: a search whose candidates are run on another machine, continued from what earlier rounds
// of its folder brought.

#include "bundle/bundle_measurer.h"
#include "progress.h"
#include "record/record_writer.h"
#include "tune_command.h"
#include "tune_report.h"

#include <memory>
#include <vector>

namespace loopscope {

/// Throws UsageError where options of bundles contradict others.
void checkBundleOptions(const RunnerChoice &choice);

/// Of each task; what they wait for is told by `progress`. The tasks know where their trials were measured.
std::vector<std::unique_ptr<Measurer>> bundleMeasurers(const TuneOptions &options, std::vector<TunedTask> &tasks,
                                                       Progress &progress);

/// What earlier rounds of the folder brought becomes trials that the search continues from; rounds that have not come
/// back are waited for. What the log lacks is appended. `records`: in the log; returns how many there are then.
size_t takeBundleRounds(const TuneOptions &options, TunedTask &tuned, Measurer &measurer, RecordWriter *writer,
                        size_t records, Progress &progress, const std::atomic<bool> &cancelled);

} // namespace loopscope
