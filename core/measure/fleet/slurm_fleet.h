#pragma once
// A fleet on nodes that Slurm gives, as the command line and the window have it.

#include "measure/fleet/fleet.h"
#include "measure/fleet/slurm.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace loopscope {

/// Waits for the nodes, which are given back with the fleet; sentences about the waiting, the job and the nodes go to
/// `tell`. Null when cancelled: no job is left then. Refused with what Slurm says.
Outcome<std::shared_ptr<Fleet>> fleetOnSlurm(const SlurmChoice &choice, const Target &target,
                                             const MeasureOptions &measure,
                                             const std::function<void(const std::string &sentence)> &tell,
                                             const std::atomic<bool> *cancel);

} // namespace loopscope
