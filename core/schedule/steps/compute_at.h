#pragma once
// CA: the stage is computed inside a loop of a stage that (perhaps through others attached in it) reads it.
//
//   for i (0,4)              CA 0, target 1, iter 0         for i (0,4)
//     A = ...                              ->                 for i (None)
//   for i (0,4)                                                 A = ...
//     for j (0,8)                                             for j (0,8)
//       B = ...                                                 B = ...
//
// How much of it is computed there follows from what is read there: its ranges are unknown until bounds are inferred.
// That every reader stands inside the loop is checked then too, since a later step may still move one.

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const ComputeAtStep &step);

} // namespace loopscope
