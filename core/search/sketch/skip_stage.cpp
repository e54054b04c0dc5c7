// SkipStage: leave the stage as it is. Always applies, so that every walk reaches the first stage.

#include "search/sketch/sketch_rule.h"

namespace loopscope {

const SketchRule kSkipStage = {
    "SkipStage",
    [](const SketchContext &, const LoopState &, StageId) -> RuleAnswer {
        return {Verdict::Apply, "the stage may stay as it is"};
    },
    [](const SketchContext &, const LoopState &state, StageId stage) -> SketchResults {
        return {{state, before(stage)}};
    },
};

} // namespace loopscope
