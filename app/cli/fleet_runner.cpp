#include "fleet_runner.h"

#include "base/outcome.h"
#include "measure/fleet/slurm_fleet.h"

#include <cmath>
#include <fmt/format.h>

namespace loopscope {

std::shared_ptr<Fleet> slurmFleet(const RunnerChoice &choice, const Target &target, const MeasureOptions &measure,
                                  const TellFleet &tell, const std::atomic<bool> *cancel) {
    if (target.isGpu()) throw UsageError("--runner slurm measures kernels of processors");
    const auto wanted = slurmChoice(choice.slurmWords());
    if (!wanted) throw UsageError("--runner " + choice.runner + ": " + wanted.why());
    auto fleet = fleetOnSlurm(*wanted, target, measure, tell, cancel);
    if (!fleet) throw Error(fleet.why());
    return std::move(fleet).value();
}

void tellNodes(Fleet &fleet, const TellFleet &tell) {
    fleet.finish();
    for (const NodeStatus &node : fleet.nodes()) {
        std::string text = fmt::format("{}: {} trial{}", node.name, node.trials, node.trials == 1 ? "" : "s");
        if (node.firstReference > 0)
            text += fmt::format(", reference kernel {:.2f} ms, drifted by {:.1f} %", 1e3 * node.reference,
                                100 * std::abs(node.drift()));
        if (node.waits > 0)
            text += fmt::format(", stood still for {:.2f} ms between candidates (the median of {})", 1e3 * node.waited,
                                node.waits);
        if (node.lost > 0) text += fmt::format(", lost {} time{}", node.lost, node.lost == 1 ? "" : "s");
        if (!node.why.empty()) text += fmt::format("; {}: {}", nodeStateName(node.state), node.why);
        tell(text);
    }
}

} // namespace loopscope
