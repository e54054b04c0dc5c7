#include "schedule/steps/follow_fused_split.h"

#include "expr/interval.h"
#include "schedule/steps/split_checks.h"
#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const FollowFusedSplitStep &step) {
    if (Refused refused = checkIter(editor.state, "FFSP", step.stage, step.iter)) return refused;
    if (step.sources.empty())
        return refuse("FFSP on {} follows no step: name the SPs whose lengths it multiplies",
                      stageText(editor.state, step.stage));
    int64_t length = 1;
    for (const StepId id : step.sources) {
        const SplitStep *source = nullptr;
        if (Refused refused = findSplit(editor.state, "FFSP", step.stage, id, source)) return refused;
        if (step.level < 0 || static_cast<size_t>(step.level) >= source->lengths.size())
            return refuse("FFSP on {} takes length {} of step {}, which has lengths 0 to {}",
                          stageText(editor.state, step.stage), step.level, id.value, source->lengths.size() - 1);
        length = mulSaturating(length, source->lengths[static_cast<size_t>(step.level)]);
    }
    return splitLoop(editor, "FFSP", step.stage, step.iter, {&length, 1}, step.factor);
}

} // namespace loopscope
