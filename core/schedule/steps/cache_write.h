#pragma once
// CHW: the computation moves to a new stage in the given memory scope, and the stage itself, now the next one, copies
// the result. What was scheduled on the stage before is lost, so the step comes first.
//
//   for i (0,4)              CHW 2, scope local             for i_c (0,4)
//     for k (0,8)                          ->                 for k (0,8)
//       C = ...                                                 C.local = ...
//                                                           for i (0,4)
//                                                             C = ...

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const CacheWriteStep &step);

} // namespace loopscope
