#pragma once
// SP: one loop becomes n + 1 nested ones.
//
//   for i (0,64)             SP 0, iter 0, lengths [4, 8], inner to outer      for i.0 (0,2)
//     A = ...                              ->                                 for i.1 (0,4)
//                                                                               for i.2 (0,8)
//                                                                                 A = ...
//
// The remaining extent, rounded up, goes to the outermost part (inner to outer) or to the innermost (outer to inner),
// so a length that does not divide leaves a guarded tail. An annotation does not carry over: annotate the part meant.
// Stages attached at the loop end up at the innermost part. The recorded extent is history: in records it may be stale
// (a mutation of an earlier tile size changes the loop, not the number), and the extent of the loop itself counts.

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const SplitStep &step);

} // namespace loopscope
