#include "schedule/steps/compute_root.h"

#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const ComputeRootStep &step) {
    if (Refused refused = checkStage(editor.state, "CR", step.stage)) return refused;
    if (editor.state.stage(step.stage).op->isPlaceholder())
        return refuse("CR cannot move {}: it is a placeholder, which nobody computes; name a compute stage",
                      stageText(editor.state, step.stage));
    editor.setLocation(step.stage, ComputeLocation::Root);
    editor.forgetRanges(step.stage);
    editor.detach(step.stage);
    return std::nullopt;
}

} // namespace loopscope
