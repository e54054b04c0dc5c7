#pragma once
// CI: the stage has no loops of its own; readers compute its value where they read it.
//
//   for i (0,4)              CI 0                           for i (0,4)
//     A = ...                              ->                 B = ...
//   for i (0,4)
//     B = ...

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const ComputeInlineStep &step);

} // namespace loopscope
