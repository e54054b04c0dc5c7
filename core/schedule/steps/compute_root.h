#pragma once
// CR: the stage is computed in loops of its own, outside all others.
//
//   for i (0,4)              CR 0                           for i (None)
//     for i (None)                         ->                 A = ...
//       A = ...                                             for i (0,4)
//     B = ...                                                 B = ...

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const ComputeRootStep &step);

} // namespace loopscope
