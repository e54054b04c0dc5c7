#pragma once
// FU: consecutive loops become one. Attached stages may hang on the last of them only, and then hang on the result.
//
//   for i (0,4)              FU 0, iters [0, 1]           for i@j@ (0,32)
//     for j (0,8)                          ->               A = ...
//       A = ...
//
// The empty list, which records have for stages without spatial axes, puts a loop of one iteration in front. Ansor
// drops the reduction loops of such a stage from its state; here they stay.

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const FuseStep &step);

} // namespace loopscope
