#include "schedule/grouping/group_dag.h"

#include "schedule/grouping/gpu_grouped_schedule.h"
#include "schedule/grouping/image_bounds.h"

#include <utility>

namespace loopscope {

Grouping groupDag(const DagPtr &dag, const Target &target, const GroupingOptions &options,
                  const MergeListener &listener) {
    Pipeline pipeline = pipelineOf(dag);
    const MachineParameters usual = usualMachine(target);
    MachineParameters machine = options.machine.value_or(usual);
    if (options.mode == GroupingMode::Compat) boundImagesAtRunTime(pipeline);
    machine.vectorBytes = usual.vectorBytes;
    machine.integerVectorBytes = options.mode == GroupingMode::Compat ? usual.integerVectorBytes : usual.vectorBytes;
    return groupPipeline(std::move(pipeline), machine, options.mode, listener);
}

std::vector<GroupPlan> planOn(const Target &target, const Grouping &grouping) {
    std::vector<GroupPlan> plans = planLoops(grouping);
    if (!target.isGpu()) return plans;
    const auto forgetLoops = [](NestPlan &nest) {
        nest.splits.clear();
        nest.loops.clear();
        nest.attachedAt.clear();
    };
    for (GroupPlan &plan : plans) {
        forgetLoops(plan.output);
        for (NestPlan &member : plan.members) {
            forgetLoops(member);
            if (member.attachedTo >= 0) member.attachedTo = plan.output.node; // all stand side by side in its blocks
        }
        plan.interTile.clear();
    }
    return plans;
}

Outcome<GroupedSchedule> scheduleOn(const Target &target, const Grouping &grouping,
                                    const std::vector<GroupPlan> &plans) {
    return target.isGpu() ? gpuGroupedSchedule(grouping, target) : groupedSchedule(grouping, plans);
}

} // namespace loopscope
