// CI: the stage has no loops of its own; readers compute its value where they read it.
//
//   for i (0,4)              CI 0                           for i (0,4)
//     A = ...                              ->                 B = ...
//   for i (0,4)
//     B = ...

#include "schedule/steps/apply_step.h"

#include "language/te/scan.h"
#include "schedule/stage_facts.h"
#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

namespace loopscope {

namespace {

bool canInline(const LoopState &state, StageId id) {
    const Op &op = *state.stage(id).op;
    return !op.isPlaceholder() && !op.reduction && !scanOf(op) && !state.dag()->access(id.index()).isOutput;
}

} // namespace

Refused applyStep(StateEditor &editor, const ComputeInlineStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkStage(state, "CI", step.stage)) return refused;
    const Op &op = *state.stage(step.stage).op;
    const auto others = [&] { return stagesThat(state, [&](StageId id) { return canInline(state, id); }); };
    if (op.isPlaceholder()) return refusal(ScheduleRule::InlinesNoPlaceholder, "CI", state, step.stage, {others()});
    if (op.reduction) {
        ScheduleRefusal reduces = refusal(ScheduleRule::InlinesNoReduction, "CI", state, step.stage,
                                          {attachPoints(state, step.stage), others()});
        reduces.word = op.reduction->axes.empty() ? "no axis" : op.reduction->axes[0].name();
        return reduces;
    }
    if (const std::optional<Scan> scan = scanOf(op)) {
        ScheduleRefusal ordered =
            refusal(ScheduleRule::InlinesNoScan, "CI", state, step.stage, {attachPoints(state, step.stage), others()});
        ordered.word = op.axes[scan->axis].name();
        return ordered;
    }
    if (state.dag()->access(step.stage.index()).isOutput)
        return refusal(ScheduleRule::InlinesNoOutput, "CI", state, step.stage, {others()});
    if (Refused refused = checkNothingAttached(state, "CI", step.stage)) return refused;
    if (!inliningFits(state, step.stage)) {
        ScheduleRefusal much =
            refusal(ScheduleRule::InlinedReadsFit, "CI", state, step.stage, {attachPoints(state, step.stage)});
        much.limit = kMaxReads;
        return much;
    }
    editor.setLocation(step.stage, ComputeLocation::Inlined);
    editor.detach(step.stage);
    return std::nullopt;
}

} // namespace loopscope
