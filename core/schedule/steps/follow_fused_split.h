#pragma once
// FFSP: splits a loop in two by the product of the lengths that several earlier SPs have at one level, as length of the
// inner part (factor) or of the outer part (nparts).
//
//   SP 1, 0, [2, 4]; SP 1, 3, [3, 5];   for i (0,120)    FFSP 0, iter 0, sources [0, 1], level 0, factor      for i.0
//   (0,20)
//                                         A = ...                    ->                                      for i.1
//                                         (0,6)
//                                                                                                              A = ...

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const FollowFusedSplitStep &step);

} // namespace loopscope
