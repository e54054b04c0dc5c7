#include "apply_command.h"

#include "input_file.h"
#include "outcome.h"
#include "output.h"
#include "schedule/bound_inference.h"
#include "schedule/steps_json.h"
#include "script/schedule_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using ApplyJson = nlohmann::ordered_json;

std::string dumped(const ApplyJson &json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// The line and a mark below the place where it stops.
std::string excerptOf(const std::string &text, const ScriptProblem &problem) {
    size_t begin = 0;
    for (int line = 1; line < problem.line; ++line) begin = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    return line + "\n" + std::string(static_cast<size_t>(problem.column - 1), ' ') + "^";
}

} // namespace

int runApply(const ApplyOptions &options) {
    const LoadedTask loaded = loadTask(options.workload);
    constexpr size_t kMostBytes = 16U << 20;
    const std::string text = readInputFile(options.script, "the script", kMostBytes);
    const AppliedScript applied = applyScript(loaded.task.dag, text);
    if (applied.problem) {
        const ScriptProblem &problem = *applied.problem;
        const Error error(options.script, problem.line, problem.column, problem.reason, excerptOf(text, problem));
        if (!options.workload.json) throw error;
        writeOutput(dumped({{"refused",
                             {{"line", problem.line},
                              {"column", problem.column},
                              {"primitive", problem.primitive},
                              {"rule", problem.rule},
                              {"reason", problem.reason},
                              {"legal", problem.legal}}}}));
        throw ReportedError(options.script, problem.line, problem.column, problem.reason, excerptOf(text, problem));
    }
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
