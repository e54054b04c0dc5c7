#pragma once
// The checks every step kind starts with, and how stages and loops are named in refusals.

#include "schedule/state_editor.h"

#include <fmt/format.h>

namespace loopscope {

/// "stage 3 (conv)"
std::string stageText(const LoopState &state, StageId id);
/// "loop 4 (i.1) of stage 3 (conv)"
std::string loopText(const LoopState &state, StageId id, IterId iter);

template <typename... Args> Refused refuse(fmt::format_string<Args...> text, Args &&...args) {
    return Refusal{fmt::format(text, std::forward<Args>(args)...)};
}

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
/// A stage attached at `id` (at any loop), or -1.
StageId anyAttachedTo(const LoopState &state, StageId id);

} // namespace loopscope
