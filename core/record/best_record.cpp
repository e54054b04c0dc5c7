#include "record/record.h"

#include "schedule/loop_state.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using Json = nlohmann::json;

/// A workload key as Ansor compares it: its first element, and all others flattened.
struct DecodedKey {
    std::string name;
    std::vector<Json> args;
    bool operator==(const DecodedKey &) const = default;
};

void flatten(const Json &value, std::vector<Json> &into) {
    if (!value.is_array()) {
        into.push_back(value);
        return;
    }
    for (const Json &element : value) flatten(element, into);
}

DecodedKey decodeKey(const std::string &key) {
    const Json json = Json::parse(key, nullptr, /*allow_exceptions=*/false);
    if (!json.is_array() || json.empty() || !json[0].is_string()) return {key, {}};
    DecodedKey decoded{json[0].get<std::string>(), {}};
    for (size_t i = 1; i < json.size(); ++i) flatten(json[i], decoded.args);
    return decoded;
}

bool isHash(std::string_view name) {
    return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string_view kindOf(std::string_view targetText) { return targetText.substr(0, targetText.find(' ')); }

std::string_view kindName(TargetKind kind) { return kind == TargetKind::Cuda ? "cuda" : "llvm"; }

/// The steps replay, and every split names the extent its loop really has (at least one does).
bool splitsFit(const Steps &steps, const DagPtr &dag) {
    LoopState state(dag);
    bool compared = false;
    for (const Step &step : steps) {
        if (const auto *split = std::get_if<SplitStep>(&step);
            split && split->stage.value >= 0 && split->stage.index() < state.stageCount()) {
            const auto &iters = state.stage(split->stage).iters;
            if (split->iter.value < 0 || split->iter.index() >= iters.size()) return false;
            const Iter &iter = iters[split->iter.index()];
            if (split->extent > 0 && iter.known()) {
                if (split->extent != iter.extent) return false;
                compared = true;
            }
        }
        auto next = state.apply(step);
        if (!next) return false;
        state = std::move(next).value();
    }
    return compared;
}

} // namespace

Outcome<bool> recordMatches(const Record &record, const Task &task, bool allowFunctionKeys) {
    if (kindOf(record.targetText) != kindName(task.target.kind)) {
        return Refusal{fmt::format("it is for the target kind `{}`, the task for `{}`", kindOf(record.targetText),
                                   kindName(task.target.kind))};
    }
    if (record.key == task.key) return true;
    const DecodedKey theirs = decodeKey(record.key);
    const DecodedKey ours = decodeKey(task.key);
    if (theirs == ours) return true;
    if (theirs.name == ours.name) {
        return Refusal{fmt::format("it is for other shapes: its key is {}, the task's {}", record.key, task.key)};
    }
    if (isHash(theirs.name))
        return Refusal{fmt::format("it is for another workload: its key is {}, the task's {}", record.key, task.key)};
    // The function may go by another name here; then the loops it splits must tell that it is the same computation.
    if (theirs.name != task.dag->name() && !(allowFunctionKeys && splitsFit(record.trial.steps, task.dag)))
        return Refusal{fmt::format("it is for another workload: its key is {}, the task's {}", record.key, task.key)};
    if (!allowFunctionKeys) {
        return Refusal{fmt::format("its key {} names a function, which does not tell whether the shapes are the task's",
                                   record.key)};
    }
    if (const Outcome<LoopState> state = replay(task.dag, record.trial.steps); !state.ok()) {
        return Refusal{fmt::format("its key {} names this workload, but its steps do not fit the task: {}", record.key,
                                   state.why())};
    }
    return true;
}

Outcome<size_t> bestRecord(const RecordLog &log, const Task &task) {
    size_t best = log.records.size();
    size_t failed = 0;
    std::map<std::string, size_t> refusals;
    for (size_t i = 0; i < log.records.size(); ++i) {
        const Record &record = log.records[i];
        // A slower record cannot be the best: the match, which may replay its steps, need not be looked at.
        if (best < log.records.size() && record.trial.cost() >= log.records[best].trial.cost()) continue;
        if (const Outcome<bool> match = recordMatches(record, task); !match.ok()) {
            ++refusals[match.why()];
        } else if (!record.trial.valid()) {
            ++failed;
        } else {
            best = i;
        }
    }
    if (best < log.records.size() && log.verdict && best < log.verdict->after) {
        // The least time of the log was among those compared or slower than they were: the comparison decides.
        const Record &winner = log.records[log.verdict->record];
        if (winner.trial.valid() && recordMatches(winner, task).ok()) return log.verdict->record;
    }
    if (best < log.records.size()) return best;

    const std::string place = log.path.empty() ? "the log" : log.path;
    if (log.records.empty()) {
        return Refusal{log.skipped.empty()
                           ? fmt::format("{} holds no record", place)
                           : fmt::format("{} holds no record; {} broken lines were skipped, the first, "
                                         "line {}, because {}",
                                         place, log.skipped.size(), log.skipped[0].line, log.skipped[0].reason)};
    }
    std::string sentence = fmt::format("none of the {} records in {} can be used", log.records.size(), place);
    if (failed > 0) sentence += fmt::format("; {} of this task failed", failed);
    std::vector<std::pair<std::string, size_t>> reasons(refusals.begin(), refusals.end());
    std::stable_sort(reasons.begin(), reasons.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    for (size_t i = 0; i < reasons.size() && i < 3; ++i)
        sentence += fmt::format("; of {}: {}", reasons[i].second, reasons[i].first);
    if (reasons.size() > 3) sentence += fmt::format("; and {} more reasons", reasons.size() - 3);
    return Refusal{sentence};
}

} // namespace loopscope
