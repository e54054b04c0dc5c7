#include "grouping/group_dag.h"

#include "grouping/image_bounds.h"

#include <utility>

namespace loopscope {

Grouping groupDag(const DagPtr &dag, const Target &target, const GroupingOptions &options,
                  const MergeListener &listener) {
    Pipeline pipeline = pipelineOf(dag);
    MachineParameters machine = options.machine;
    if (options.mode == GroupingMode::Compat) {
        boundImagesAtRunTime(pipeline);
    } else {
        machine.vectorBytes = target.vectorBytes;
        machine.coreCache = target.l2Bytes;
    }
    return groupPipeline(std::move(pipeline), machine, options.mode, listener);
}

} // namespace loopscope
