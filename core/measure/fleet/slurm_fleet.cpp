#include "measure/fleet/slurm_fleet.h"

#include "measure/fleet/slurm_allocation.h"

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

Outcome<std::shared_ptr<Fleet>> fleetOnSlurm(const SlurmChoice &choice, const Target &target,
                                             const MeasureOptions &measure,
                                             const std::function<void(const std::string &sentence)> &tell,
                                             const std::atomic<bool> *cancel) {
    tell(fmt::format("asking Slurm for {} node{}", choice.nodes, choice.nodes == 1 ? "" : "s"));
    auto allocation = SlurmAllocation::make(choice, tell, cancel);
    if (!allocation) return allocation.refusal();
    if (*allocation == nullptr) return std::shared_ptr<Fleet>();
    auto held = std::make_shared<OnSlurm>();
    held->allocation = std::move(allocation).value();
    std::vector<FleetNodeSpec> specs;
    std::vector<std::string> names;
    for (const SlurmAllocation::Node &node : held->allocation->nodes()) {
        specs.push_back(
            slurmNode(choice, held->allocation->job(), node.name, node.cpus, workerProgram(measure.workerPath)));
        names.push_back(node.name);
    }
    tell(fmt::format("job {}{}: {}", held->allocation->job(), held->allocation->isOurs() ? "" : " (yours)",
                     fmt::join(names, ", ")));
    FleetOptions options;
    options.measure = measure;
    options.target = target;
    options.tolerance = choice.tolerance;
    options.rounds = choice.rounds;
    options.tell = tell;
    held->fleet = std::make_unique<Fleet>(std::move(specs), std::move(options));
    Fleet *const fleet = held->fleet.get();
    return std::shared_ptr<Fleet>(std::move(held), fleet);
}

} // namespace loopscope
