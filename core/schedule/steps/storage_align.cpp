#include "schedule/steps/storage_align.h"

#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const StorageAlignStep &step) {
    if (Refused refused = checkIter(editor.state, "SA", step.stage, step.iter)) return refused;
    const Iter &iter = editor.state.stage(step.stage).iters[step.iter.index()];
    // A reduction loop is no dimension of the tensor, so that aligning along it moves nothing; logs align the last loop
    // of a stage whatever it is (the combining stage after RF ends with a reduction), and Ansor takes it.
    const bool dimension = static_cast<size_t>(iter.node) < editor.state.stage(step.stage).op->axes.size();
    if (iter.kind != IterKind::Reduction && !(iter.kind == IterKind::Spatial && dimension))
        return refuse("SA cannot align along {}: it is not a whole axis of the stage's tensor; name an unsplit spatial "
                      "loop, or a reduction loop, along which nothing moves",
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
