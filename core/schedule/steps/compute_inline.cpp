#include "schedule/steps/compute_inline.h"

#include "schedule/stage_facts.h"
#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const ComputeInlineStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkStage(state, "CI", step.stage)) return refused;
    const Op &op = *state.stage(step.stage).op;
    if (op.isPlaceholder())
        return refuse("CI cannot inline {}: it is a placeholder; only what a compute stage computes can be inlined",
                      stageText(state, step.stage));
    if (op.reduction)
        return refuse(
            "CI cannot inline {}: it reduces over {}, and a reduction needs loops of its own; compute it at a "
            "reader's loop (CA) instead",
            stageText(state, step.stage), op.reduction->axes.empty() ? "no axis" : op.reduction->axes[0].name());
    if (state.dag()->access(step.stage.index()).isOutput)
        return refuse("CI cannot inline {}: it is an output and has to be written; inline a stage that others read",
                      stageText(state, step.stage));
    if (const StageId attached = anyAttachedTo(state, step.stage); attached.value >= 0)
        return refuse("CI cannot inline {}: {} is attached at its loop {}; move that one first (CA or CR)",
                      stageText(state, step.stage), stageText(state, attached), state.attachedTo(attached).iter.value);
    if (!inliningFits(state, step.stage))
        return refuse("CI cannot inline {}: what is inlined is computed again at every place where it is read, and a "
                      "statement would read more than {} elements; keep a stage on the way",
                      stageText(state, step.stage), kMostReads);
    editor.setLocation(step.stage, ComputeLocation::Inlined);
    editor.detach(step.stage);
    return std::nullopt;
}

} // namespace loopscope
