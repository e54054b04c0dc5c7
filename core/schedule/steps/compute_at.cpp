#include "schedule/steps/compute_at.h"

#include "schedule/stage_facts.h"
#include "schedule/steps/step_checks.h"

namespace loopscope {

namespace {

/// `stage` is `target` or attached in it, directly or through others.
bool standsIn(const LoopState &state, StageId stage, StageId target) {
    for (; stage.value >= 0; stage = state.attachedTo(stage).stage)
        if (stage == target) return true;
    return false;
}

} // namespace

Refused applyStep(StateEditor &editor, const ComputeAtStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkStage(state, "CA", step.stage)) return refused;
    if (Refused refused = checkIter(state, "CA", step.target, step.targetIter)) return refused;
    if (state.stage(step.stage).op->isPlaceholder())
        return refuse("CA cannot move {}: it is a placeholder, which nobody computes; cache it (CHR) and move the copy",
                      stageText(state, step.stage));
    if (state.dag()->access(step.stage.index()).isOutput)
        return refuse("CA cannot move {} into {}: it is an output, and no stage reads it; outputs stay at root",
                      stageText(state, step.stage), stageText(state, step.target));
    if (standsIn(state, step.target, step.stage))
        return refuse("CA cannot attach {} at {}: that loop is itself computed inside {}; choose a loop outside it",
                      stageText(state, step.stage), loopText(state, step.target, step.targetIter),
                      stageText(state, step.stage));
    bool read = false;
    for (const StageId reader : consumers(state, step.stage)) read = read || standsIn(state, reader, step.target);
    if (!read)
        return refuse(
            "CA cannot attach {} at {}: nothing computed in that stage reads it; attach it at a loop of one of "
            "its readers",
            stageText(state, step.stage), loopText(state, step.target, step.targetIter));
    editor.setLocation(step.stage, ComputeLocation::Attached);
    editor.forgetRanges(step.stage);
    editor.attach(step.stage, {step.target, step.targetIter});
    return std::nullopt;
}

} // namespace loopscope
