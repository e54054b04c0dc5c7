#pragma once
// PR: `auto_unroll_max_step$N` lets loop nests of the stage with at most N steps be unrolled; `debug_skip_region` takes
// the stage out of the loop it is attached at (such a state has no bounds).
//
//   for i (0,4)              PR 0, iter 0, auto_unroll_max_step$16      A auto_unroll: 16
//     A = ...                              ->                          for i (0,4)
//                                                                        A = ...
//
// The iterator number is recorded and otherwise without effect.

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const PragmaStep &step);

} // namespace loopscope
