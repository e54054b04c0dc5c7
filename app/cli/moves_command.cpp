#include "moves_command.h"

#include "base/nearest_name.h"
#include "base/outcome.h"
#include "output.h"
#include "schedule/bound_inference.h"
#include "schedule/script/schedule_script.h"
#include "schedule/script/script_words.h"
#include "search/moves/offered_moves.h"
#include "search/moves/predicted_change.h"
#include "workbench/log_model.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

namespace loopscope {

namespace {

using MovesJson = nlohmann::ordered_json;

std::optional<StageId> stageNamed(const std::string &asked, const LoopState &state) {
    if (asked.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (size_t i = 0; i < state.stageCount(); ++i) {
        if (scriptStage(state, StageId(i)) == asked) return StageId(i);
        names.push_back(scriptStage(state, StageId(i)));
    }
    throw UsageError(fmt::format("--stage {}: the schedule has no such stage{}; there are {}", asked,
                                 suggestion(asked, names), fmt::join(names, ", ")));
}

/// A move as its line says it, and its parts for scripts.
MovesJson moveJson(const LoopState &state, const Step &step, const std::optional<double> &change) {
    const std::string line = scriptLine(state, step);
    MovesJson arguments = MovesJson::array();
    MovesJson loop = nullptr;
    const auto tokens = scriptTokens(line);
    // PRIMITIVE STAGE, then its loop unless the step is about the stage, then what is chosen.
    const bool ofStage = std::holds_alternative<ComputeAtStep>(step) ||
                         std::holds_alternative<ComputeInlineStep>(step) ||
                         std::holds_alternative<ComputeRootStep>(step) || std::holds_alternative<CacheReadStep>(step) ||
                         std::holds_alternative<CacheWriteStep>(step) || std::holds_alternative<ReorderStep>(step);
    size_t word = 0;
    for (const ScriptToken &token : tokens) {
        if (token.kind != ScriptToken::Kind::Word) continue;
        if (word == 2 && !ofStage)
            loop = scriptName(token.text, token.occurrence);
        else if (word >= 2 && token.text != "into" && token.text != "like" && token.text != "parts" &&
                 token.text != "at")
            arguments.push_back(scriptName(token.text, token.occurrence));
        ++word;
    }
    return {{"primitive", primitiveOf(step)},
            {"stage", scriptStage(state, stageOf(step))},
            {"loop", std::move(loop)},
            {"arguments", std::move(arguments)},
            {"predicted_change", change ? MovesJson(*change) : MovesJson(nullptr)},
            {"line", line}};
}

std::string textOf(const LoopState &state) {
    if (!state.concrete()) return state.text();
    const auto bounded = inferBounds(state, std::make_shared<ExprArena>());
    return bounded ? bounded->state.text() : state.text();
}

} // namespace

int runMoves(const MovesOptions &options) {
    const LoadedTask loaded = loadTask(options.workload);
    const LoopState state = chooseSchedule(options.record, loaded, options.workload.json).state;
    ThreadPool pool;
    RecordLog log;
    if (!options.record.log.empty()) log = loadRecordLog(options.record.log);
    const auto model = modelOf({&log}, loaded.task, pool);
    const std::vector<Step> moves = offeredMoves(state, loaded.task.target, stageNamed(options.stage, state));
    const auto changes = predictedChanges(state, moves, loaded.task.target, model.get(), pool);
    // The most promising first; what cannot be predicted last.
    std::vector<size_t> order(moves.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto worth = [&](size_t i) { return changes[i].value_or(std::numeric_limits<double>::infinity()); };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return worth(a) < worth(b); });
    if (options.workload.json) {
        MovesJson list = MovesJson::array();
        for (const size_t i : order) list.push_back(moveJson(state, moves[i], changes[i]));
        const MovesJson json = {
            {"moves", std::move(list)}, {"predicted_by", model ? "model" : "estimate"}, {"state", textOf(state)}};
        writeOutput(json.dump(-1, ' ', false, MovesJson::error_handler_t::replace) + "\n");
        return 0;
    }
    std::string out = textOf(state) + "\n";
    for (const size_t i : order)
        out += fmt::format("{:>9}  {}\n", changes[i] ? percentText(*changes[i]) : "?", scriptLine(state, moves[i]));
    out += fmt::format("{}; change of time as {} it\n", countedText(moves.size(), "move"),
                       model ? "a model that learnt from the log predicts" : "the analytic estimate has");
    writeOutput(out);
    return 0;
}

} // namespace loopscope
