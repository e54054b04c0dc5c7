#pragma once
// A cost model that has learnt what was measured of a task, for whoever wants predictions without a search: it learns
// everything at once, and forgets it with the program.

#include "base/thread_pool.h"
#include "language/dag/compute_dag.h"
#include "language/target/target.h"
#include "schedule/packed_steps.h"
#include "search/cost/cost_model.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace loopscope {

struct MeasuredSchedule {
    PackedSteps steps;
    double seconds = 0; // <= 0: it failed
};

struct LearntModel {
    std::unique_ptr<CostModel> model; // null: too few schedules
    size_t schedules = 0;             // it has learnt
    double bestSeconds = 0;           // the least time among them, which a score of 1 stands for; 0: all failed
};

inline constexpr size_t kEnoughToLearn = 16; // schedules

/// Those that cannot be lowered do not count. When cancelled, the model is null.
LearntModel modelThatLearnt(const DagPtr &dag, const Target &target, const std::vector<MeasuredSchedule> &measured,
                            ThreadPool &pool, const std::atomic<bool> *cancel = nullptr);

} // namespace loopscope
