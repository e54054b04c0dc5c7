#include "apply_command.h"

#include "base/outcome.h"
#include "output.h"
#include "schedule/bound_inference.h"
#include "schedule/steps_json.h"
#include "script_file.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using ApplyJson = nlohmann::ordered_json;

std::string dumped(const ApplyJson &json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace

int runApply(const ApplyOptions &options) {
    const LoadedTask loaded = loadTask(options.workload);
    const AppliedScript applied = appliedScriptFile(options.script, loaded.task.dag, options.workload.json);
    auto bounded = inferBounds(applied.state, std::make_shared<ExprArena>());
    if (!bounded)
        throw Error(options.script, 0, 0,
                    fmt::format("every line applies, but not what they make together: {}", bounded.why()));
    const std::string loops = bounded->state.text();
    const std::string steps = stepsText(applied.state.steps());
    writeOutput(options.workload.json
                    ? dumped({{"steps", ApplyJson::parse(steps)}, {"lines", applied.lines}, {"text", loops}})
                    : loops + "\n" + steps + "\n");
    return 0;
}

} // namespace loopscope
