#pragma once
// `loopscope-cli tune`: the main job, for one workload or for several that take turns. Every trial goes to the log as
// it ends.

#include "choice.h"
#include "grouping_choice.h"
#include "runner_choice.h"
#include "search/search_options.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct TuneOptions {
    WorkloadChoice workload;        // what all have together; its `file` is not used
    std::vector<std::string> files; // as WorkloadChoice::file
    SearchOptions search;           // trials of each, of alternatives altogether; seconds of all
    std::string taskOrder = "round-robin";
    std::vector<std::string> startFrom; // of the one workload (search_start.h)
    GroupingChoice grouping;            // of "grouping" among them, and of `group`
    std::vector<std::string> locks;     // patterns (schedule/locks/lock_pattern.h), of the first schedule to start from
    std::string group;                  // what alone is searched: a stage, or several with commas between
    RunnerChoice runner;
    std::string log;
    bool resume = false;
    /// None: weights of processors are packed once, before the first call, as libraries do (2); those of GPUs are
    /// copied to shared memory anyway and stay as they are (0), as in Ansor.
    std::optional<int> layoutRewrite;
    std::string layouts; // "try": other layouts of the one workload are searched beside it (layout_search.h)
    std::optional<int> layoutAlternatives;
    static constexpr int kLayoutAlternatives = 3; // beside the workload as it is
};

int runTune(const TuneOptions &options);

} // namespace loopscope
