#pragma once
// What `tune` says at its end: of each task the best kernel, what it is compared with, and what was lost on the way, as
// text and as JSON.

#include "choice.h"
#include "records/record/resumed_trials.h"
#include "search/tuner.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// One of the tasks of a search, and what came of it.
struct TunedTask {
    LoadedTask loaded;
    std::string name; // for people: the workload's, or where several share it, as it was given
    ResumedTrials resumed;
    Trial naive; // the naive schedule, measured before the search
    SearchResult result;
    std::vector<size_t> recordNumbers; // of each trial of the result, in the log
};

struct TuneReport {
    nlohmann::ordered_json json;
    std::string text;
};

/// `log`: its path; empty without one. `ofAll`: trials of all tasks, where they share them.
TuneReport describe(const TunedTask &tuned, const std::string &log, std::optional<size_t> ofAll = std::nullopt);

/// Why the search did not do for these tasks what was asked for; empty when it did. `alternatives`: they share the
/// trials, and one that has a kernel is enough.
std::string tuneProblem(const std::vector<const TunedTask *> &tasks, const SearchOptions &options,
                        const std::string &log, bool interrupted, bool alternatives = false);

} // namespace loopscope
