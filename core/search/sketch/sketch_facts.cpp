#include "search/sketch/sketch_facts.h"

#include "language/dag/access.h"
#include "language/dag/stays_in_memory.h"

namespace loopscope {

bool needsTiling(const LoopState &state, StageId stage) {
    return state.dag()->access(stage.index()).needsMultiLevelTiling;
}

bool isOutput(const LoopState &state, StageId stage) { return state.dag()->access(stage.index()).isOutput; }

std::set<std::string> listedNames(const LoopState &state, StageId stage, const std::string &attribute) {
    const Attrs &attrs = state.stage(stage).op->attrs;
    const auto found = attrs.find(attribute);
    if (found == attrs.end()) return {};
    if (const auto *list = std::get_if<std::vector<std::string>>(&found->second)) return {list->begin(), list->end()};
    if (const auto *one = std::get_if<std::string>(&found->second)) return {*one};
    return {};
}

std::vector<StepId> splitStepsOf(const LoopState &state, StageId stage) {
    std::vector<StepId> found;
    int id = stage.value;
    const Steps &steps = state.steps();
    for (size_t i = steps.size(); i > 0; --i) {
        const Step &step = steps[i - 1];
        if (const auto *split = std::get_if<SplitStep>(&step); split && split->stage.value == id)
            found.emplace_back(i - 1);
        const bool inserts = std::holds_alternative<CacheReadStep>(step) ||
                             std::holds_alternative<CacheWriteStep>(step) || std::holds_alternative<RfactorStep>(step);
        if (inserts && stageOf(step).value < id) --id;
    }
    return found;
}

std::optional<ReorderStep> spatialLoopsOutside(const LoopState &state, StageId stage) {
    const auto &iters = state.stage(stage).iters;
    ReorderStep order{stage, {}};
    for (const bool reduces : {false, true})
        for (size_t i = 0; i < iters.size(); ++i)
            if ((iters[i].kind == IterKind::Reduction) == reduces) order.order.emplace_back(i);
    for (size_t i = 0; i < iters.size(); ++i)
        if (order.order[i] != IterId(i)) return order;
    return std::nullopt;
}

bool alwaysInlined(const LoopState &state, StageId stage, bool gpu) {
    const Stage &it = state.stage(stage);
    if (it.op->isPlaceholder() || isOutput(state, stage) || hasReduceIter(it) || staysInMemory(*it.op)) return false;
    return (gpu || state.dag()->access(stage.index()).strictlyInlineable) && inliningFits(state, stage);
}

} // namespace loopscope
