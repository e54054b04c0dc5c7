#pragma once
// AN: how the iterations of a loop run.
//
//   for i (0,4)              AN 0, iter 0, vectorize      vectorize i (0,4)
//     A = ...                              ->               A = ...
//
// A loop is annotated once. Iterations of a reduction depend on each other, so such a loop is neither parallel nor
// vectorized (a thread-bound one is a reduction across threads).

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const AnnotateStep &step);

} // namespace loopscope
