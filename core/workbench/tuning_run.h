#pragma once
// A search from its tasks to its verdict, as the command line and the window run it: the model with its seed, every
// trial in the log before anybody hears of it, and who won. What runs the candidates the caller says, by a Measurer.

#include "records/record/resumed_trials.h"
#include "search/tuner.h"
#include "workbench/trial_log.h"

#include <functional>
#include <string>
#include <vector>

namespace loopscope {

/// One of the tasks of a run; all of them are for one kind of target.
struct TuningTask {
    const Task &task;
    std::string name;      // in remarks of the log
    SearchOptions options; // as TaskJob has it; seed and model of all are those of the first
    Measurer &measurer;
    const ResumedTrials &resumed;
    std::vector<Steps> startFrom = {}; // likewise
    double weight = 1;                 // likewise
    double floorSeconds = 0;           // likewise
};

struct TunedResult {
    SearchResult search;
    std::vector<size_t> records; // numbers of its trials in the log
};

/// What a SearchObserver is, as a function.
using OnSearchEvent = std::function<void(const SearchEvent &event)>;

/// By task. `remarks`: the log says which task was picked, why, and what the search noted. A time that decided goes
/// there as the verdict, unless it is of a trial that the log does not have.
std::vector<TunedResult> runTuning(const std::vector<TuningTask> &tasks, const TuneTasksOptions &together,
                                   TaskOrder &order, TrialLog &log, const OnSearchEvent &onEvent,
                                   SearchControl &control, bool remarks = false);

/// The naive schedule, which the search is compared with; "interrupted" when it was cancelled.
Trial measureNaive(Measurer &measurer, const Task &task, const MeasureWatch &watch);

/// Rounds that earlier searches wrote, where they are measured through bundles: what they brought, or bring now,
/// becomes trials that this one goes on from, and records of the log where it lacks them. `onTrial` hears of each that
/// is new to the search, with its number in the log.
void takeRounds(Measurer &measurer, const Task &task, ResumedTrials &resumed, TrialLog &log, const MeasureWatch &watch,
                const std::function<void(const Trial &trial, size_t record)> &onTrial);

} // namespace loopscope
