#pragma once
// What only the sketch rules ask about a stage; the rest is in schedule/stage_facts.h.

#include "schedule/loop_state.h"
#include "schedule/stage_facts.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

bool needsTiling(const LoopState &state, StageId stage);
bool isOutput(const LoopState &state, StageId stage);

/// The names listed in a string-list attribute of the stage's op; empty when it has none.
std::set<std::string> listedNames(const LoopState &state, StageId stage, const std::string &attribute);

/// Numbers of the SP steps applied to the stage, last first, seen through the stage insertions that followed.
std::vector<StepId> splitStepsOf(const LoopState &state, StageId stage);

/// The order with the spatial loops outside; nothing where they are.
std::optional<ReorderStep> spatialLoopsOutside(const LoopState &state, StageId stage);

/// Would the stage be inlined without further question?
bool alwaysInlined(const LoopState &state, StageId stage, bool gpu);

} // namespace loopscope
