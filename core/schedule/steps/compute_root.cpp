// CR: the stage is computed in loops of its own, outside all others.
//
//   for i (0,4)              CR 0                           for i (None)
//     for i (None)                         ->                 A = ...
//       A = ...                                             for i (0,4)
//     B = ...                                                 B = ...

#include "schedule/steps/apply_step.h"

#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const ComputeRootStep &step) {
    if (Refused refused = checkStage(editor.state, "CR", step.stage)) return refused;
    if (editor.state.stage(step.stage).op->isPlaceholder())
        return refusal(ScheduleRule::ComputedByLoops, "CR", editor.state, step.stage, {computeStages(editor.state)});
    editor.setLocation(step.stage, ComputeLocation::Root);
    editor.forgetRanges(step.stage);
    editor.detach(step.stage);
    return std::nullopt;
}

} // namespace loopscope
