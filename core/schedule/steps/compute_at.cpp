// CA: the stage is computed inside a loop of a stage that (perhaps through others attached in it) reads it.
//
//   for i (0,4)              CA 0, target 1, iter 0         for i (0,4)
//     A = ...                              ->                 for i (None)
//   for i (0,4)                                                 A = ...
//     for j (0,8)                                             for j (0,8)
//       B = ...                                                 B = ...
//
// How much of it is computed there follows from what is read there: its ranges are unknown until bounds are inferred.
// That every reader stands inside the loop is checked then too, since a later step may still move one.

#include "schedule/steps/apply_step.h"

#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const ComputeAtStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkStage(state, "CA", step.stage)) return refused;
    if (Refused refused = checkIter(state, "CA", step.target, step.targetIter)) return refused;
    if (state.stage(step.stage).op->isPlaceholder())
        return refusal(ScheduleRule::ComputedByLoops, "CA", state, step.stage, {computeStages(state)});
    const auto refused = [&](ScheduleRule rule, std::vector<Suggestion> legal) {
        ScheduleRefusal about = refusal(rule, "CA", state, step.stage, std::move(legal));
        about.otherStage = named(state, step.target);
        about.loop = named(state, step.target, step.targetIter);
        return about;
    };
    if (state.dag()->access(step.stage.index()).isOutput)
        return refused(ScheduleRule::OutputStaysAtRoot, {stagesThat(state, [&](StageId id) {
                           return !state.stage(id).op->isPlaceholder() && !state.dag()->access(id.index()).isOutput;
                       })});
    if (standsIn(state, step.target, step.stage))
        return refused(ScheduleRule::NotInsideItself, {attachPoints(state, step.stage)});
    if (!readIn(state, step.stage, step.target))
        return refused(ScheduleRule::ReadAtAttachPoint, {attachPoints(state, step.stage)});
    editor.setLocation(step.stage, ComputeLocation::Attached);
    editor.forgetRanges(step.stage);
    editor.attach(step.stage, {step.target, step.targetIter});
    return std::nullopt;
}

} // namespace loopscope
