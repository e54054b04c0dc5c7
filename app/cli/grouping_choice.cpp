#include "grouping_choice.h"

#include "base/outcome.h"
#include "choice.h"

namespace loopscope {

GroupingOptions groupingOptionsOf(const GroupingChoice &choice, const Target &target) {
    GroupingOptions options;
    if (choice.mode == "compat") options.mode = GroupingMode::Compat;
    if (!choice.machine) return options;
    const auto machine = machineOn(target, *choice.machine);
    if (!machine) throw UsageError("--machine: " + machine.why());
    options.machine = machine.value();
    return options;
}

} // namespace loopscope
