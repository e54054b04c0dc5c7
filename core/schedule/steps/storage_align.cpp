#include "schedule/steps/storage_align.h"

#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const StorageAlignStep &step) {
    if (Refused refused = checkIter(editor.state, "SA", step.stage, step.iter)) return refused;
    const Iter &iter = editor.state.stage(step.stage).iters[step.iter.index()];
    if (iter.kind != IterKind::Spatial ||
        static_cast<size_t>(iter.node) >= editor.state.stage(step.stage).op->axes.size())
        return refuse(
            "SA cannot align along {}: it is not a whole axis of the stage's tensor; name an unsplit spatial loop",
            loopText(editor.state, step.stage, step.iter));
    if (step.factor < 1 || step.offset < 0)
        return refuse("SA cannot align {} to factor {} and offset {}: the factor is 1 or more, the offset 0 or more",
                      stageText(editor.state, step.stage), step.factor, step.offset);
    Stage &stage = editor.edit(step.stage);
    stage.storageAlignFactor = step.factor;
    stage.storageOffset = step.offset;
    stage.storageAlignIter = stage.iters[step.iter.index()].node;
    return std::nullopt;
}

} // namespace loopscope
