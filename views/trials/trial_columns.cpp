#include "views/trials/trial_columns.h"

#include <array>

namespace loopscope {

namespace {

constexpr std::array<ColumnInfo, kFixedColumns> kColumns{{
    {"pinned", "Pinned", "pinned", "Pinned by you: kept in sight, offered for comparing", false, true},
    {"rank", "Rank", "rank", "Place among the valid trials: by the comparison they took part in, else by time", true,
     true},
    {"trial", "Trial", "trial", "Number of the trial, in the order they were measured", true, true},
    {"time", "Time", "time_s",
     "Time of one call: of the last comparison it took part in, else what the best three samples agree on", true, true},
    {"against", "vs baseline", "change_against_baseline",
     "Time against that of the baseline: a trial you choose by its context menu", true, false},
    {"spread", "Spread", "spread", "From the 10th to the 90th percentile of the samples, as a share of their median",
     true, true},
    {"gflops", "GFLOP/s", "gflops", "Floating-point operations of the workload divided by the time", true, true},
    {"peak", "% of peak", "share_of_peak", "Share of the floating-point peak measured on this machine", true, true},
    {"error", "Error", "error_over_tolerance",
     "Largest difference from the reference result, as a multiple of the tolerance: up to 1 is right", true, true},
    {"failure", "Failure", "failure", "Why there is no time; the tooltip of a cell tells the whole reason", false,
     true},
    {"reason", "Reason", "reason", "What exactly failed", false, false},
    {"sketch", "Sketch", "sketch", "Number of the sketch it was made from", true, true},
    {"round", "Round", "round", "Round of the search that picked it", true, false},
    {"gen", "Gen.", "generation", "Generation of the evolution it came from; 0 is the sample", true, true},
    {"mutation", "Mutation", "mutation", "What made it from its parent", false, true},
    {"predicted", "Predicted", "predicted_score", "Score the cost model gave it when it was picked; higher is better",
     true, false},
    {"build", "Build", "build_s", "Time it took to lower and compile it", true, false},
    {"run", "Run", "run_s", "Time it took to check and time it", true, false},
    {"again", "Again", "times_measured_again", "How often it was measured again", true, false},
    {"unstable", "Unstable", "unstable", "The best samples never agreed within 3 %", false, false},
    {"note", "Note", "note", "Your own words; F2 edits them", false, true},
}};
static_assert(kColumns.back().id != nullptr);

} // namespace

const ColumnInfo &columnInfo(TrialColumn column) { return kColumns[static_cast<size_t>(column)]; }

} // namespace loopscope
