#pragma once
// RF: one part of a split reduction becomes a spatial axis: the new stage `.rf` computes partial results along it, the
// stage itself, now the next one and named `.repl`, combines them.
//
//   for i (0,4)              RF 1, iter 1, factor axis at 1       for i (0,4)
//     for k.0 (0,8)                        ->                       for k_o (0,8)
//       for k.1 (0,16)                                                for k_i (0,16)
//         C = ...                                                       C.rf = ...
//                                                                 for ax0 (0,4)
//                                                                   for k_o_v (0,8)
//                                                                     C.repl = ...
//
// It directly follows the SP that made the loop, which is how TVM replays it. Other loops of the
// stage are as new afterwards. A split that does not divide guards the partial reduction.

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const RfactorStep &step);

} // namespace loopscope
