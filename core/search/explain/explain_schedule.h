#pragma once
// Why a schedule is as fast as it is thought to be, loop by loop: what the analytic estimate says its cycles go to, and
// what each loop adds to the cost model's score.
//
// Cycles belong to the loop or statement the estimate spends them in and to all loops around it. What the model makes
// of a stored buffer's features belongs to one place each: the features of vectorized, unrolled and parallel loops to
// the innermost loop of that kind around the store; everything else, and these where there is no such loop, to the
// statement that stores the buffer (a reduction's update, not its start).

#include "base/outcome.h"
#include "language/target/target.h"
#include "schedule/loop_state.h"
#include "search/cost/cost_model.h"
#include "search/cost/cycle_parts.h"

#include <string>
#include <vector>

namespace loopscope {

/// Of the cycles inside a loop.
struct CycleShare {
    CycleKind kind = CycleKind::Arithmetic;
    double share = 0; // 0 .. 1
};

/// A loop of the nest, or a statement: what a stage stores.
struct ExplainedLoop {
    StageId stage;
    IterId iter;           // none: the statement
    std::string stageName; // of a statement: the buffer
    std::string name;      // of the loop; empty for a statement
    LoopKind kind = LoopKind::Serial;
    int64_t extent = 0; // of a loop; 0 where it differs from iteration to iteration
    int depth = 0;
    double cycles = 0;             // inside, as a share of the program's: 0 .. 1
    std::vector<CycleShare> spent; // what these go to, most first
    double contribution = 0;       // its own
    double contributionInside = 0; // with everything inside
};

struct ExplainedRow {
    std::string buffer;
    FeatureRow features{};
    RowContributions contributions; // zero without a model
};

struct ScheduleExplanation {
    double cycles = 0;  // estimated; 0: the kind of target has no estimate
    bool ofGpu = false; // cycles of the busiest multiprocessor, not core
    bool predicted = false;
    double score = 0;                 // the model's; base + rowCount + all contributions of loops
    double base = 0;                  // before it has seen a feature
    double rowCount = 0;              // that so many buffers are stored
    std::vector<ExplainedLoop> loops; // in program order, outermost first
    std::vector<ExplainedRow> rows;   // per stored buffer
};

/// `model` may be null or not trained yet: then nothing is predicted. Refused where there are no bounds or no nest.
Outcome<ScheduleExplanation> explainSchedule(const LoopState &state, const Target &target, CostModel *model);

} // namespace loopscope
