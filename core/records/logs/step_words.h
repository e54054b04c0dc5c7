#pragma once
// The steps of a record in words when its computation is not known: by numbers of stages and loops, as the log has
// them. With a computation the lines of a script say more (schedule/script/schedule_script.h).

#include "measure/compare/aligned_steps.h"
#include "schedule/step.h"

#include <string>
#include <vector>

namespace loopscope {

/// "split loop 4 of stage 2 (extent 512) into ? x 16 x 4 x 8": `?` is the length that follows from the others.
SpelledStep stepWords(const Step &step);
std::vector<SpelledStep> stepWords(const Steps &steps);

} // namespace loopscope
