#pragma once
// An order of tasks that spends time where the whole gains most of it. Ansor's gradient order looks at what a round
// gains, of a history that it averages over a few rounds; but rounds of different tasks take times that differ
// fiftyfold, and a kernel that is near what the machine can do has little left to gain however well it did before.
//
// How far a task's time stands above its floor falls with the rounds it had like a power of their number: fast at
// first, then slower and slower. The exponent is fitted to the task's own rounds, and where it had few of them, drawn
// towards what all tasks show. The floor is the roofline of the task, or what similar tasks already reached where that
// says more. From both follows what the next round is expected to gain; it is divided by the seconds a round of this
// task takes.

#include "search/task_order.h"

#include <memory>
#include <vector>

namespace loopscope {

struct GainOptions {
    double exponent = 0.35; // with which times fall, before anything was seen
    double confidence = 2;  // how much of a task's own history outweighs what all show: ln of the growth of its rounds
    double similarReach = 1.15; // times the best speed of similar tasks is in reach
    double likelyShare = 0.45;  // of its best time a task may still lose where nothing else says how much
    double nearFloor = 0.03;    // a task so near its roofline has nothing to gain
    int horizon = 16;           // rounds in which a task that is behind another form of its node may get ahead
    int trying = 5;             // rounds that such a task has, before what came of them decides whether it may
};

/// One round each, then the one whose next round is expected to gain the most seconds of the weighted sum per second
/// spent; of a task that is behind another form of its node (TaskStanding::behind), the rounds until it is ahead and
/// pays best together, an equal share of its gain each. A form in many stages begins far behind and falls for long, so
/// that its first rounds are worth what it would win if it came as near to its roofline as other tasks do. A task
/// without a valid kernel after its first round comes last, the one with the fewest rounds first.
std::unique_ptr<TaskOrder> makeGainOrder(const GainOptions &options = {});

/// What that order expects the next round of each task to gain, in seconds of the weighted sum; < 0 for a task without
/// a valid kernel.
std::vector<double> expectedGains(const std::vector<TaskStanding> &tasks, const GainOptions &options = {});

} // namespace loopscope
