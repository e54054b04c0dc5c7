#pragma once
// `loopscope-cli schedule`: the one door to all schedulers. Whichever makes it, the schedule is printed, checked, timed
// and logged in the same way.

#include "choice.h"
#include "grouping_choice.h"
#include "runner_choice.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct ScheduleOptions {
    WorkloadChoice workload;
    std::string by; // "grouping", "search", "naive"
    GroupingChoice grouping;
    std::optional<int> trials;
    std::optional<double> timeLimit; // seconds
    std::optional<uint64_t> seed;
    std::string as = "script";
    bool measure = false;
    std::string log;
    RunnerChoice runner;
};

/// What --as takes.
std::vector<std::string> scheduleForms();

int runSchedule(const ScheduleOptions &options);

} // namespace loopscope
