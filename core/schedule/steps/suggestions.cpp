#include "schedule/steps/suggestions.h"

#include "schedule/stage_facts.h"

#include <algorithm>

namespace loopscope {

LegalStages stagesWithLoops(const LoopState &state) {
    return stagesThat(state, [&](StageId id) {
        return !state.stage(id).op->isPlaceholder() && state.stage(id).location != ComputeLocation::Inlined;
    });
}

LegalStages computeStages(const LoopState &state) {
    return stagesThat(state, [&](StageId id) { return !state.stage(id).op->isPlaceholder(); });
}

LegalStages directReaders(const LoopState &state, StageId stage) {
    return stagesThat(state, [&](StageId reader) {
        const std::vector<LoadAccess> &loads = state.dag()->access(reader.index()).loads;
        return std::any_of(loads.begin(), loads.end(),
                           [&](const LoadAccess &load) { return load.tensor == &state.stage(stage).op->output(); });
    });
}

LegalAttachPoints attachPoints(const LoopState &state, StageId stage) {
    LegalAttachPoints legal;
    for (const StageId target : stagesWithLoops(state).stages) {
        if (standsIn(state, target, stage) || !readIn(state, stage, target)) continue;
        for (size_t i = 0; i < state.stage(target).iters.size(); ++i) legal.points.push_back({target, IterId(i)});
    }
    return legal;
}

LegalSources splitsSoFar(const LoopState &state) {
    LegalSources legal;
    for (size_t i = 0; i < state.steps().size(); ++i)
        if (std::holds_alternative<SplitStep>(state.steps()[i])) legal.steps.emplace_back(i);
    return legal;
}

LegalNumbers splitLengths(const Iter &iter) {
    constexpr int64_t longestTile = 1024;
    LegalNumbers legal{1, kLongestLength, {}};
    for (int64_t length = 1; length <= std::min(iter.extent, longestTile); ++length)
        if (iter.extent % length == 0) legal.sensible.push_back(length);
    return legal;
}

bool standsIn(const LoopState &state, StageId stage, StageId target) {
    for (; stage.value >= 0; stage = state.attachedTo(stage).stage)
        if (stage == target) return true;
    return false;
}

bool readIn(const LoopState &state, StageId stage, StageId target) {
    for (const StageId reader : consumers(state, stage))
        if (standsIn(state, reader, target)) return true;
    return false;
}

} // namespace loopscope
