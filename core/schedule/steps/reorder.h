#pragma once
// RE: the loops of a stage in another order. Attached stages stay with the loop they hang on.
//
//   for i (0,4)              RE 0, order [1, 0]           for j (0,8)
//     for j (0,8)                          ->               for i (0,4)
//       A = ...                                               A = ...
//
// (Ansor leaves attachments at the old position, where its own lowering does not have them.)

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const ReorderStep &step);

} // namespace loopscope
