#pragma once
// The two sides of `compare`: each a schedule with the task it is for, which a record for another target brings along,
// and what its log says of its time.

#include "choice.h"
#include "compare_command.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

namespace loopscope {

struct ComparedSchedule {
    LoadedTask loaded;
    ChosenSchedule schedule;
    std::optional<Record> record; // of a log
};

/// A record of another kind of target than --target names is of its own target; the naive schedule and the layout of
/// its weights go with the other side. Throws Error or UsageError.
std::pair<ComparedSchedule, ComparedSchedule> comparedSchedules(const CompareOptions &options);

/// They run on different machines, so that nothing times them in turn.
bool forDifferentTargets(const ComparedSchedule &a, const ComparedSchedule &b);

/// "0.310 ms, logged for cuda -arch=sm_80, measured on gpubox: NVIDIA A100"; "checked, not timed", "never measured".
std::string loggedText(const ComparedSchedule &side);
/// {target, seconds|null, machine|null, timed}
nlohmann::ordered_json loggedJson(const ComparedSchedule &side);

} // namespace loopscope
