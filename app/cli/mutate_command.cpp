#include "mutate_command.h"

#include "base/outcome.h"
#include "lock_options.h"
#include "output.h"
#include "schedule/script/schedule_script.h"
#include "schedule/steps_json.h"
#include "search/moves/complete_schedule.h"
#include "search/moves/mutate_schedule.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace loopscope {

namespace {

using MutateJson = nlohmann::ordered_json;

/// The script, with what was changed as comments in front: it can be piped into a file and used.
std::string scriptText(const ChangedSchedule &changed, const std::string &script) {
    std::string text = fmt::format("# {}\n", changed.rule);
    for (const StepPair &pair : changed.lines) {
        if (pair.same) continue;
        if (pair.a >= 0) text += fmt::format("# - {}\n", pair.lineA);
        if (pair.b >= 0) text += fmt::format("# + {}\n", pair.lineB);
    }
    return text + script;
}

int report(const ChangedSchedule &changed, const LoadedTask &loaded, const std::vector<std::string> *rules, bool json) {
    const auto script = scriptOf(loaded.task.dag, changed.steps);
    if (!script) throw Error(script.why());
    if (!json) {
        writeOutput(scriptText(changed, *script));
        return 0;
    }
    MutateJson changes = MutateJson::array();
    const auto line = [](const std::string &text) { return text.empty() ? MutateJson(nullptr) : MutateJson(text); };
    for (const StepPair &pair : changed.lines)
        if (!pair.same) changes.push_back({{"from", line(pair.lineA)}, {"to", line(pair.lineB)}});
    MutateJson value = {{"rule", changed.rule},
                        {"changes", std::move(changes)},
                        {"steps", MutateJson::parse(stepsText(changed.steps))},
                        {"script", *script}};
    if (rules != nullptr) value["rules"] = *rules;
    writeOutput(value.dump(-1, ' ', false, MutateJson::error_handler_t::replace) + "\n");
    return 0;
}

} // namespace

int runMutate(const MutateOptions &options) {
    const bool json = options.workload.json;
    const LoadedTask loaded = loadTask(options.workload);
    const Steps steps = requiredSchedule(options.record, loaded, json).state.steps();
    MutationRequest request;
    request.rule = options.rule;
    request.seed = options.seed;
    request.options.locks = lockedBy(options.locks, loaded.task.dag, &steps);
    if (!options.with.empty()) request.other = chooseSchedule(choiceOf(options.with), loaded, json).state.steps();
    const auto changed = mutateSchedule(loaded.task, steps, request);
    if (!changed) throw Error("mutate: " + changed.why());
    request.rule.clear();
    const auto rules = json ? applicableMutations(loaded.task, steps, request) : std::vector<std::string>();
    return report(*changed, loaded, &rules, json);
}

int runComplete(const MutateOptions &options) {
    const bool json = options.workload.json;
    const LoadedTask loaded = loadTask(options.workload);
    const Steps steps = chooseSchedule(options.record, loaded, json).state.steps();
    SearchOptions search;
    search.locks = lockedBy(options.locks, loaded.task.dag, &steps);
    const auto changed = completeSchedule(loaded.task, steps, options.seed, search);
    if (!changed) throw Error("complete: " + changed.why());
    return report(*changed, loaded, nullptr, json);
}

} // namespace loopscope
