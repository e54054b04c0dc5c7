#include "schedule/steps/compute_at.h"

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
