#pragma once
// A grouping for scripts.

#include "schedule/grouping/grouped_schedule.h"

#include <nlohmann/json_fwd.hpp>

namespace loopscope {

/// machine, mode, pre_inlined, inlined, merges, groups, totals, steps and notes. Axes and loops of a tile are listed
/// innermost first.
nlohmann::ordered_json groupingJson(const Grouping &grouping, const std::vector<GroupPlan> &plans,
                                    const GroupedSchedule &schedule);

/// The same for people.
std::string groupingText(const Grouping &grouping, const std::vector<GroupPlan> &plans);

std::string_view groupingModeName(GroupingMode mode);

} // namespace loopscope
