#include "fleet_runner.h"

#include "fleet/slurm_allocation.h"
#include "outcome.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

/// Nodes outlive the fleet on them.
struct OnSlurm {
    std::unique_ptr<SlurmAllocation> allocation;
    std::unique_ptr<Fleet> fleet;
};

} // namespace

std::shared_ptr<Fleet> slurmFleet(const RunnerChoice &choice, const Target &target, const MeasureOptions &measure,
                                  const TellFleet &tell, const std::atomic<bool> *cancel) {
    if (target.isGpu()) throw UsageError("--runner slurm measures kernels of processors");
    const auto wanted = slurmChoice(choice.slurmWords());
    if (!wanted) throw UsageError("--runner " + choice.runner + ": " + wanted.why());
    tell(fmt::format("asking Slurm for {} node{}", wanted->nodes, wanted->nodes == 1 ? "" : "s"));
    auto allocation = SlurmAllocation::make(*wanted, tell, cancel);
    if (!allocation) throw Error(allocation.why());
    if (*allocation == nullptr) return nullptr;
    auto held = std::make_shared<OnSlurm>();
    held->allocation = std::move(allocation).value();
    std::vector<FleetNodeSpec> specs;
    std::vector<std::string> names;
    for (const SlurmAllocation::Node &node : held->allocation->nodes()) {
        specs.push_back(slurmNode(*wanted, held->allocation->job(), node.name, node.cpus,
                                  workerProgram(measure.workerPath)));
        names.push_back(node.name);
    }
    tell(fmt::format("job {}{}: {}", held->allocation->job(), held->allocation->isOurs() ? "" : " (yours)",
                     fmt::join(names, ", ")));
    FleetOptions options;
    options.measure = measure;
    options.target = target;
    options.tolerance = wanted->tolerance;
    options.tell = tell;
    held->fleet = std::make_unique<Fleet>(std::move(specs), std::move(options));
    return {held, held->fleet.get()};
}

void tellNodes(Fleet &fleet, const TellFleet &tell) {
    fleet.finish();
    for (const NodeStatus &node : fleet.nodes()) {
        std::string text = fmt::format("{}: {} trial{}", node.name, node.trials, node.trials == 1 ? "" : "s");
        if (node.firstReference > 0)
            text += fmt::format(", reference kernel {:.2f} ms, drifted by {:.1f} %", 1e3 * node.reference,
                                100 * std::abs(node.drift()));
        if (node.lost > 0) text += fmt::format(", lost {} time{}", node.lost, node.lost == 1 ? "" : "s");
        if (!node.why.empty()) text += fmt::format("; {}: {}", nodeStateName(node.state), node.why);
        tell(text);
    }
}

} // namespace loopscope
