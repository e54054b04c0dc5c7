// FFSP: splits a loop in two by the product of the lengths that several earlier SPs have at one level, as length of the
// inner part (factor) or of the outer part (nparts).
//
//   SP 1, 0, [2, 4]; SP 1, 3, [3, 5];   for i (0,120)    FFSP 0, iter 0, sources [0, 1], level 0, factor      for i.0
//   (0,20)
//                                         A = ...                    ->                                      for i.1
//                                         (0,6)
//                                                                                                              A = ...

#include "schedule/steps/apply_step.h"

#include "language/expr/interval.h"
#include "schedule/steps/split_checks.h"
#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const FollowFusedSplitStep &step) {
    if (Refused refused = checkIter(editor.state, "FFSP", step.stage, step.iter)) return refused;
    if (step.sources.empty())
        return refusal(ScheduleRule::FollowsSomething, "FFSP", editor.state, step.stage, {splitsSoFar(editor.state)});
    int64_t length = 1;
    for (const StepId id : step.sources) {
        const SplitStep *source = nullptr;
        if (Refused refused = findSplit(editor.state, "FFSP", step.stage, id, source)) return refused;
        if (step.level < 0 || static_cast<size_t>(step.level) >= source->lengths.size()) {
            const int64_t last = static_cast<int64_t>(source->lengths.size()) - 1;
            ScheduleRefusal level =
                refusal(ScheduleRule::FollowedLevelExists, "FFSP", editor.state, step.stage, {LegalNumbers{0, last}});
            level.asked = step.level;
            level.follows = id;
            level.limit = last;
            return level;
        }
        length = mulSaturating(length, source->lengths[static_cast<size_t>(step.level)]);
    }
    return splitLoop(editor, "FFSP", step.stage, step.iter, {&length, 1}, step.factor);
}

} // namespace loopscope
