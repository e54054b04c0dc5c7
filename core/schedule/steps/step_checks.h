#pragma once
// The checks every step kind starts with, and how a refusal begins: with the rule and what it is about.

#include "schedule/state_editor.h"

namespace loopscope {

NamedStage named(const LoopState &state, StageId id);
NamedLoop named(const LoopState &state, StageId id, IterId iter);

/// About a stage there is.
ScheduleRefusal refusal(ScheduleRule rule, std::string_view tag, const LoopState &state, StageId stage,
                        std::vector<Suggestion> legal = {});
/// About a loop there is, in a stage of its own or of the step's.
ScheduleRefusal refusal(ScheduleRule rule, std::string_view tag, const LoopState &state, StageId stage, IterId iter,
                        std::vector<Suggestion> legal = {});

/// The stage exists.
Refused checkStage(const LoopState &state, const char *tag, StageId id);
/// The stage exists and computes something in loops of its own: neither placeholder nor inlined.
Refused checkLoops(const LoopState &state, const char *tag, StageId id);
/// As checkLoops, and the iterator exists.
Refused checkIter(const LoopState &state, const char *tag, StageId id, IterId iter);
/// As checkIter, and the loop carries no annotation, which the step would lose.
Refused checkPlainIter(const LoopState &state, const char *tag, StageId id, IterId iter);
/// One more stage is no more than a schedule of that many ops may have.
Refused checkStageCount(const LoopState &state, const char *tag);
/// No stage is attached at `id` (at any loop).
Refused checkNothingAttached(const LoopState &state, const char *tag, StageId id);

} // namespace loopscope
