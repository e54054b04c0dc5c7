#pragma once
// `--runner slurm[:...]`: candidates are measured on nodes of a cluster.

#include "measure/fleet/fleet.h"
#include "runner_choice.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace loopscope {

using TellFleet = std::function<void(const std::string &sentence)>;

/// Waits for the nodes; they are given back with the fleet. Null when cancelled. Throws UsageError for words of the
/// runner that are wrong, Error when there are no nodes.
std::shared_ptr<Fleet> slurmFleet(const RunnerChoice &choice, const Target &target, const MeasureOptions &measure,
                                  const TellFleet &tell, const std::atomic<bool> *cancel);

/// The end of a search: what drifted, then a line for each node, "n1: 22 trials, ...".
void tellNodes(Fleet &fleet, const TellFleet &tell);

} // namespace loopscope
