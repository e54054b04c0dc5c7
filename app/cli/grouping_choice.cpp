#include "grouping_choice.h"

#include "choice.h"
#include "outcome.h"

namespace loopscope {

GroupingOptions groupingOptionsOf(const GroupingChoice &choice) {
    GroupingOptions options;
    if (choice.mode == "compat") options.mode = GroupingMode::Compat;
    if (!choice.machine) return options;
    const auto machine = parseMachineParameters(*choice.machine);
    if (!machine) throw UsageError("--machine: " + machine.why());
    options.machine = machine.value();
    options.machine->coreCache = 0; // the target's
    return options;
}

} // namespace loopscope
