#pragma once
// What an engineer can do to a schedule next: every step that applies to the state, and after which the bounds of all
// stages still exist. Steps with numbers to choose (lengths, places) come once for each sensible choice. What is not
// offered need not be illegal: lengths that do not divide, tensor instructions and open splits can be asked for.

#include "language/target/target.h"
#include "schedule/loop_state.h"

#include <optional>
#include <vector>

namespace loopscope {

/// In the order of stages, loops and primitives. The state's ranges are inferred first where they can be, so that
/// lengths are known; a state whose splits are open has moves, too. `of`: of that stage alone.
std::vector<Step> offeredMoves(const LoopState &state, const Target &target, std::optional<StageId> of = {});

/// The step applied; a refusal also where bounds would not exist any more.
Outcome<LoopState> makeMove(const LoopState &state, const Step &step);

} // namespace loopscope
