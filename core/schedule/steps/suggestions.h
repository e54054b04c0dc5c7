#pragma once
// What would be legal where a step is not: the lists that refusals offer.

#include "schedule/schedule_refusal.h"

namespace loopscope {

template <typename Accept> LegalStages stagesThat(const LoopState &state, Accept &&accept) {
    LegalStages legal;
    for (size_t i = 0; i < state.stageCount(); ++i)
        if (accept(StageId(i))) legal.stages.emplace_back(i);
    return legal;
}
template <typename Accept> LegalLoops loopsThat(const LoopState &state, StageId stage, Accept &&accept) {
    LegalLoops legal{stage, {}};
    for (size_t i = 0; i < state.stage(stage).iters.size(); ++i)
        if (accept(state.stage(stage).iters[i])) legal.loops.emplace_back(i);
    return legal;
}
inline LegalStages allStages(const LoopState &state) {
    return stagesThat(state, [](StageId) { return true; });
}
/// Neither placeholder nor inlined.
LegalStages stagesWithLoops(const LoopState &state);
LegalStages computeStages(const LoopState &state);
/// Stages whose body loads the first output of `stage`: those a copy of it can be made for.
LegalStages directReaders(const LoopState &state, StageId stage);
inline LegalLoops allLoops(const LoopState &state, StageId stage) {
    return loopsThat(state, stage, [](const Iter &) { return true; });
}
inline LegalLoops plainLoops(const LoopState &state, StageId stage) {
    return loopsThat(state, stage, [](const Iter &iter) { return iter.annotation == Annotation::None; });
}
/// Loops a CA of that stage may name. Whether every reader stands inside is told by bound inference.
LegalAttachPoints attachPoints(const LoopState &state, StageId stage);
LegalSources splitsSoFar(const LoopState &state);
/// Lengths of a split of that loop.
LegalNumbers splitLengths(const Iter &iter);
inline constexpr int64_t kLongestLength = int64_t(1) << 31;

/// `stage` is `target` or attached in it, directly or through others.
bool standsIn(const LoopState &state, StageId stage, StageId target);
/// Something that stands in `target` reads `stage`.
bool readIn(const LoopState &state, StageId stage, StageId target);

} // namespace loopscope
