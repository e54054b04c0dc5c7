#pragma once
// What the three splitting steps share.

#include "schedule/state_editor.h"

#include <span>

namespace loopscope {

/// Splits the loop after checking it and the lengths.
Refused splitLoop(StateEditor &editor, const char *tag, StageId id, IterId iter, std::span<const int64_t> lengths,
                  bool innerToOuter);
/// The SP with that number among the steps so far, or why it is none.
Refused findSplit(const LoopState &state, const char *tag, StageId stage, StepId source, const SplitStep *&split);

} // namespace loopscope
