#pragma once
// CHR: the named readers read a copy of the stage in the given memory scope; the copy is a new stage right after it.
//
//   Placeholder: A            CHR 0, scope shared, readers [1]       Placeholder: A
//   for i (0,4)                              ->                     for ax0 (0,4)
//     B = ...                                                         A.shared = ...
//                                                                   for i (0,4)
//                                                                     B = ...

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const CacheReadStep &step);

} // namespace loopscope
