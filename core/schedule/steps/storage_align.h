#pragma once
// SA: rows of the stage's buffer start at offset + k*factor elements, k whole, along the axis of the given loop.
//
//   for i (0,4)              SA 0, iter 0, factor 32, offset 1      A storage_offset: 1
//     for j (0,8)                          ->                      for i (0,4)
//       A = ...                                                      for j (0,8)
//                                                                      A = ...

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const StorageAlignStep &step);

} // namespace loopscope
