#include "group_command.h"

#include "base/outcome.h"
#include "output.h"
#include "schedule/bound_inference.h"
#include "schedule/grouping/grouping_json.h"
#include "schedule/script/schedule_script.h"

#include <memory>
#include <nlohmann/json.hpp>

namespace loopscope {

int runGroup(const GroupOptions &options) {
    const LoadedTask loaded = loadTask(options.workload);
    const GroupingOptions grouped = groupingOptionsOf(options.grouping, loaded.task.target);
    const Grouping grouping = groupDag(loaded.task.dag, loaded.task.target, grouped);
    const std::vector<GroupPlan> plans = planOn(loaded.task.target, grouping);
    const auto schedule = scheduleOn(loaded.task.target, grouping, plans);
    if (!schedule) throw Error(options.workload.file, 0, 0, "the grouping makes no schedule: " + schedule.why());
    if (options.as == "script") {
        if (options.workload.json) throw UsageError("group: --as script is not JSON; --json has the steps");
        const auto script = scriptOf(loaded.task.dag, schedule->state.steps());
        if (!script) throw Error(options.workload.file, 0, 0, "the schedule has no script: " + script.why());
        writeOutput(script.value());
        return 0;
    }
    if (options.workload.json) {
        writeOutput(groupingJson(grouping, plans, schedule.value())
                        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                    "\n");
        return 0;
    }
    std::string text = groupingText(grouping, plans);
    for (const std::string &note : schedule->notes) text += "note: " + note + "\n";
    const auto bounded = inferBounds(schedule->state, std::make_shared<ExprArena>());
    if (!bounded)
        throw Error(options.workload.file, 0, 0,
                    "the steps of the grouping apply, but make no loops: " + bounded.why());
    writeOutput(text + "\n" + boundedText(bounded.value()));
    return 0;
}

} // namespace loopscope
