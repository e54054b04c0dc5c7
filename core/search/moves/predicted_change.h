#pragma once
// What each of many moves is worth before it is made: the cost model's word, or the analytic estimate's while the model
// has learnt nothing of the task.

#include "base/thread_pool.h"
#include "language/target/target.h"
#include "schedule/loop_state.h"
#include "search/cost/cost_model.h"

#include <optional>
#include <vector>

namespace loopscope {

/// Scores are shares of the best speed and may leave 0 .. 1 a little; below this a ratio of two means nothing.
inline constexpr float kMinScoreToCompare = 0.01F;

/// What is known of a schedule before it is measured.
struct PredictedSchedule {
    std::optional<double> estimate; // relative time, by the analytic estimate
    std::optional<float> score;     // share of the best speed, by the model
};
/// Of each list of steps. Nothing of those that cannot be lowered: splits are open, a parallel loop would stand inside
/// another. `model` may be null; one that is not trained is not asked.
std::vector<PredictedSchedule> predictedSchedules(const DagPtr &dag, std::vector<Steps> schedules, const Target &target,
                                                  CostModel *model, ThreadPool &pool);

/// Of each move: predicted time after it over the time before it, less one (-0.2: a fifth less time). Nothing where
/// either cannot be predicted: splits are open, a parallel loop would stand inside another, the kind of target has no
/// estimate. `model` may be null; one that is not trained is not asked.
std::vector<std::optional<double>> predictedChanges(const LoopState &state, const std::vector<Step> &moves,
                                                    const Target &target, CostModel *model, ThreadPool &pool);

} // namespace loopscope
