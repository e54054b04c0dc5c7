#pragma once
// Which loops of a kernel run serially although its schedule asks for threads or lanes: what lowering and code
// generation decide silently, for those who want to know why a schedule is slower than it looks.

#include "language/task/task.h"
#include "schedule/step.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

/// "the parallel loop i.0 of C runs serially: its work is too little to start threads for", a sentence a loop. Empty
/// where the schedule cannot be lowered: the trial says why.
struct SerialisedLoops {
    std::vector<std::string> sentences;
    std::map<std::string, int> kinds; // the same without stage and loop -> how many loops
};
SerialisedLoops serialisedLoops(const Task &task, const Steps &steps);

} // namespace loopscope
