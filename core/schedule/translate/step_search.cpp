#include "schedule/translate/step_search.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

/// The number of the stage in front of a step, from that after it; the step that makes a stage has that it came from.
int stageBefore(const Step &step, int stage) {
    if (const auto *read = std::get_if<CacheReadStep>(&step)) return stage > read->stage.value ? stage - 1 : stage;
    const bool adds = std::holds_alternative<CacheWriteStep>(step) || std::holds_alternative<RfactorStep>(step);
    return adds && stage > stageOf(step).value ? stage - 1 : stage;
}

} // namespace

std::string namedStep(const LoopState &state, StageId stage, const std::function<bool(const Step &)> &made) {
    const Steps &steps = state.steps();
    int now = stage.value;
    for (size_t i = steps.size(); i-- > 0;) {
        now = stageBefore(steps[i], now);
        if (stageOf(steps[i]).value == now && made(steps[i])) return fmt::format("step {} ({})", i, stepTag(steps[i]));
    }
    return fmt::format("stage {}", state.stage(stage).op->name);
}

} // namespace loopscope
