#pragma once
// FSP: splits like an earlier SP did: its first n - 1 lengths, then the product of the remaining ones, inner to outer.
//
//   SP 1, iter 0, lengths [2, 4, 8];   for i (0,512)     FSP 0, iter 0, source 0, n 2      for i.0 (0,8)
//                                        A = ...                     ->                   for i.1 (0,2)
//                                                                                           for i.2 (0,32)
//                                                                                             A = ...

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const FollowSplitStep &step);

} // namespace loopscope
