#pragma once
// Which of the steps in which two schedules differ makes the difference: from A to B in the sequence that gains most
// first, one difference at a time, each timed against the schedule before it. What does not apply alone waits for the
// others; where nothing left applies alone, two at a time are tried, and what not even then does goes together at the
// end. What goes together is told as coupled.

#include "measure/compare/aligned_steps.h"
#include "measure/compare/timed_pair.h"

#include <functional>
#include <string>
#include <vector>

namespace loopscope {

struct ExplainedStep {
    std::vector<size_t> pairs; // of the alignment: one, or those that only apply together
    RatioInterval interval;    // time after over time before
    double share = 0;          // of the whole way from A to B, as logarithms of times; all shares sum to 1
};

struct ExplainOptions {
    PairOptions timing;
    int screeningRounds = 5; // of all differences that could come next, interleaved
};

/// In the sequence they were made in; the first schedule of it is A, the last B. A refusal when one of them cannot be
/// timed, or on a cancel. `onProgress(done, all)` counts differences.
Outcome<std::vector<ExplainedStep>> explainDifference(const DagPtr &dag, Measurer &measurer,
                                                      const std::vector<StepPair> &pairs, const ExplainOptions &options,
                                                      const MeasureWatch &watch = {},
                                                      const std::function<void(size_t, size_t)> &onProgress = {});

} // namespace loopscope
