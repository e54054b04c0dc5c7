#include "deploy/dispatch/kernel_families.h"

#include "deploy/plan/host_routine.h"
#include "networks/op_compute/kernel_dag.h"
#include "networks/partition/tasks.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

Outcome<std::vector<NetworkFamily>> kernelFamilies(const SizedNetwork &network, int64_t bound, const Target &target) {
    const GraphFunction &function = *network.function();
    const Partition &partition = network.partition();
    std::vector<NetworkFamily> families;
    for (const NetworkTask &task : networkTasks(function, partition)) {
        const Kernel &kernel = partition.kernels[task.kernels.front()];
        if (!kernel.runs() || isHostKernel(function, kernel) || !network.dependsOnSize(kernel)) continue;
        NetworkFamily one;
        one.kernels = task.kernels;
        one.weight = task.weight;
        one.family.name = kernel.name;
        one.family.symbol = network.symbol();
        one.family.bound = bound;
        one.family.target = target;
        one.family.constants.assign(kernel.inputs.size() + kernel.outputs.size(), false);
        for (size_t i = 0; i < kernel.inputs.size(); ++i)
            one.family.constants[i] = std::ranges::all_of(
                task.kernels, [&](size_t k) { return function.isConstant(partition.kernels[k].inputs[i]); });
        one.family.dagAt = [network, kernel](int64_t size) -> Outcome<DagPtr> {
            const auto there = network.at(size);
            if (!there) return there.refusal();
            return computeDagOf(**there, kernel.nodes, kernel.inputs, kernel.outputs, kernel.name);
        };
        if (const auto dag = one.family.dagAt(bound); !dag) return dag.refusal();
        families.push_back(std::move(one));
    }
    if (families.empty()) return Refusal{fmt::format("no kernel of the network depends on {}", network.symbol())};
    return families;
}

} // namespace loopscope
