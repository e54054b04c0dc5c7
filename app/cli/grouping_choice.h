#pragma once
// `--machine` and `--mode` of the commands that group.

#include "schedule/grouping/group_dag.h"

#include <optional>
#include <string>

namespace loopscope {

struct GroupingChoice {
    std::optional<std::string> machine;
    std::optional<std::string> mode;

    [[nodiscard]] bool given() const { return machine || mode; }
};

/// Throws UsageError.
GroupingOptions groupingOptionsOf(const GroupingChoice &choice, const Target &target);

} // namespace loopscope
