#pragma once
// What the rules ask about a stage of an unfinished sketch (ansor.md §4, §5.3).

#include "schedule/loop_state.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

/// Direct consumers and producers, looking through inlined stages.
std::set<int> consumersOf(const LoopState &state, StageId stage);
std::set<int> producersOf(const LoopState &state, StageId stage);

bool hasReduceIter(const LoopState &state, StageId stage);
bool needsTiling(const LoopState &state, StageId stage);
bool isOutput(const LoopState &state, StageId stage);

/// The stage is the `.local` of a cache write, seen through the stage insertions that followed.
bool hasCacheWrite(const LoopState &state, StageId stage);
bool hasRfactor(const LoopState &state, StageId stage);
/// The stage or one attached to it has a reduce iterator bound to threadIdx.x.
bool hasCrossThreadReduction(const LoopState &state, StageId stage);

/// The one consumer, when it matches element by element and may therefore share the tiling.
std::optional<StageId> elementwiseConsumer(const LoopState &state, StageId stage);
/// The one consumer, or the common root stage of several.
std::optional<StageId> consumerRoot(const LoopState &state, StageId stage);

struct IterationSpace {
    double spatial = 1;
    double reduce = 1;
};
IterationSpace iterationSpace(const LoopState &state, StageId stage);

/// The names listed in a string-list attribute of the stage's op; empty when it has none.
std::set<std::string> listedNames(const LoopState &state, StageId stage, const std::string &attribute);

/// Numbers of the SP steps applied to the stage, last first.
std::vector<StepId> splitStepsOf(const LoopState &state, StageId stage);

/// Would the stage be inlined without further question?
bool alwaysInlined(const LoopState &state, StageId stage, bool gpu);

} // namespace loopscope
