#pragma once
// All tasks of a network in one search: what `net tune` and the window do alike. What was measured is in the log before
// anybody hears of it, and the picks stand there as remarks.

#include "deploy/network/search_tasks.h"
#include "measure/measurer.h"
#include "records/record/resumed_trials.h"
#include "search/tuner.h"
#include "workbench/tuning_run.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct NetworkSearchOptions {
    int trials = 64;             // of each task, those of the log included
    int totalTrials = 0;         // of all together, likewise; 0: each has its own
    double timeLimitSeconds = 0; // 0: none
    double spentSeconds = 0;     // of the limit, before the search began
    uint64_t seed = 0;
    std::string order = "gain"; // a word of makeTaskOrder
    int trialsPerRound = 0;     // as SearchOptions has it
    /// What a task's candidates are measured through; empty: one pool of workers for all.
    std::function<std::unique_ptr<Measurer>(const SearchedTask &)> makeMeasurer = nullptr;
};

struct NetworkSearch {
    std::vector<SearchedTask> tasks;
    std::vector<ResumedTrials> resumed;       // by task
    std::vector<TaskChoiceGroup> groups = {}; // tasks that are forms of one node
    /// As SamplingOptions has it. Who has measurers of his own makes them with it, too.
    int64_t weightBytes = 0;
};

/// What a log has of the tasks becomes what the search goes on from; whatever they had is forgotten. Returns what is to
/// be said about records that do not count, a sentence each, with the task.
std::vector<std::string> resumeTasks(NetworkSearch &search, const RecordLog &log);
/// Whether the log's trials of these tasks are times of kernels of a network (Trial::weightBytes); nothing where it has
/// none, or of both kinds.
std::optional<bool> timedInNetwork(const NetworkSearch &search, const RecordLog &log);

/// By task, as runTuning has it.
std::vector<SearchResult> tuneNetwork(const NetworkSearch &search, const NetworkSearchOptions &options, TrialLog &log,
                                      const OnSearchEvent &onEvent, SearchControl &control);

/// Of the best kernel of a task; nothing when it has none.
std::optional<double> bestSeconds(const NetworkSearch &search, size_t task, const SearchResult &result);

/// Tasks as they stand after the search, with how far each is behind another form of its node.
std::vector<TaskStanding> finalStandings(const NetworkSearch &search, const std::vector<SearchResult> &results);

} // namespace loopscope
