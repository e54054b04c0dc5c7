#include "script_file.h"

#include "base/input_file.h"
#include "output.h"

#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

/// The line and a mark below the place where it stops.
std::string excerptOf(const std::string &text, const ScriptProblem &problem) {
    size_t begin = 0;
    for (int line = 1; line < problem.line; ++line) begin = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    return line + "\n" + std::string(static_cast<size_t>(problem.column - 1), ' ') + "^";
}

} // namespace

AppliedScript appliedScriptFile(const std::string &path, const DagPtr &dag, bool json) {
    constexpr size_t kMaxBytes = 16U << 20;
    const std::string text = readInputFile(path, "the script", kMaxBytes);
    AppliedScript applied = applyScript(dag, text);
    if (!applied.problem) return applied;
    const ScriptProblem &problem = *applied.problem;
    const std::string excerpt = excerptOf(text, problem);
    if (!json) throw Error(path, problem.line, problem.column, problem.reason, excerpt);
    using Json = nlohmann::ordered_json;
    const Json refused = {{"line", problem.line}, {"column", problem.column}, {"primitive", problem.primitive},
                          {"rule", problem.rule}, {"reason", problem.reason}, {"legal", problem.legal}};
    writeOutput(Json{{"refused", refused}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    throw ReportedError(path, problem.line, problem.column, problem.reason, excerpt);
}

} // namespace loopscope
