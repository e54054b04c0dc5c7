#include "choices_command.h"

#include "output.h"
#include "schedule/choices/choice_importance.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

namespace loopscope {

namespace {

using ChoicesJson = nlohmann::ordered_json;

/// Of the schedules that choose the same.
struct Alike {
    size_t count = 0;
    double best = std::numeric_limits<double>::infinity(); // seconds
};

/// What the records of the task chose, and how fast they were.
struct LoggedChoices {
    size_t records = 0;
    size_t valid = 0;   // and timed
    size_t untimed = 0; // the executor found them right
    size_t best = 0;    // of all; only when one is valid
    ChoiceTable table;
    std::vector<double> seconds; // of each record; +inf: failed
    ChoiceImportance importance;

    /// By value, ascending; "none" last.
    [[nodiscard]] std::map<double, Alike> alike(size_t choice) const {
        std::map<double, Alike> groups;
        for (size_t i = 0; i < seconds.size(); ++i) {
            const float value = table.values[choice][i];
            Alike &group = groups[std::isnan(value) ? std::numeric_limits<double>::infinity() : value];
            ++group.count;
            group.best = std::min(group.best, seconds[i]);
        }
        return groups;
    }
    [[nodiscard]] double share(size_t choice) const { return importance.share.empty() ? 0 : importance.share[choice]; }
};

std::string valueText(const Choice &choice, double value) {
    return choice.valueText(std::isinf(value) ? std::numeric_limits<double>::quiet_NaN() : value);
}

LoggedChoices choicesOf(const std::string &path, const LoadedTask &loaded) {
    const RecordLog log = loadRecordLog(path);
    for (const std::string &text : skippedTexts(log)) sayLine(text);
    LoggedChoices logged;
    std::vector<PackedSteps> schedules;
    for (const Record &record : log.records) {
        if (!recordMatches(record, loaded.task) || !targetMatches(record, loaded.task.target)) continue;
        schedules.push_back(record.trial.steps);
        if (record.trial.valid() && record.trial.seconds.empty()) ++logged.untimed;
        logged.seconds.push_back(record.trial.valid() ? record.trial.cost() : std::numeric_limits<double>::infinity());
    }
    logged.records = schedules.size();
    if (schedules.empty()) throw Error(path, 0, 0, "there is no record of this task on this target in it");
    logged.table = choiceTable(loaded.task.dag, schedules);
    logged.importance = choiceImportance(logged.table, logged.seconds);
    for (size_t i = 0; i < logged.seconds.size(); ++i) {
        if (std::isinf(logged.seconds[i])) continue;
        if (logged.valid++ == 0 || logged.seconds[i] < logged.seconds[logged.best]) logged.best = i;
    }
    return logged;
}

ChoicesJson secondsJson(double seconds) { return std::isinf(seconds) ? ChoicesJson(nullptr) : ChoicesJson(seconds); }

ChoicesJson choicesJson(const LoggedChoices &logged, const std::vector<size_t> &order) {
    ChoicesJson list = ChoicesJson::array();
    for (const size_t c : order) {
        const Choice &choice = logged.table.choices[c];
        ChoicesJson values = ChoicesJson::array();
        for (const auto &[value, group] : logged.alike(c))
            values.push_back({{"value", valueText(choice, value)},
                              {"trials", group.count},
                              {"best_seconds", secondsJson(group.best)}});
        ChoicesJson best = nullptr;
        if (logged.valid > 0) best = choice.valueText(logged.table.values[c][logged.best]);
        list.push_back(
            {{"choice", choice.name},
             {"share", logged.importance.share.empty() ? ChoicesJson(nullptr) : ChoicesJson(logged.share(c))},
             {"best", std::move(best)},
             {"values", std::move(values)}});
    }
    const bool known = !logged.importance.share.empty();
    return {{"trials", logged.records},
            {"valid", logged.valid + logged.untimed},
            {"untimed", logged.untimed},
            {"explained", known ? ChoicesJson(logged.importance.explained) : ChoicesJson(nullptr)},
            {"choices", std::move(list)}};
}

std::string choicesText(const LoggedChoices &logged, const std::vector<size_t> &order) {
    const bool known = !logged.importance.share.empty();
    std::string out =
        fmt::format("{}, {} of them valid{}\n", countedText(logged.records, "trial"), logged.valid + logged.untimed,
                    logged.untimed == 0 ? std::string() : fmt::format(", {} of these not timed", logged.untimed));
    if (known)
        out +=
            fmt::format("choices explain {:.0f} % of the differences in time between trials they were not fitted to\n",
                        100 * std::max(0.0, logged.importance.explained));
    else
        out += fmt::format("too few trials that are {} ({} are needed), or all equally fast: nothing can be weighed\n",
                           logged.untimed == 0 ? "valid" : "timed", kMinForImportance);
    size_t width = 6;
    for (const size_t c : order) width = std::max(width, logged.table.choices[c].name.size());
    out += fmt::format("{:>7}  {:<{}}  {:<12}  best time by value\n", known ? "weight" : "", "choice", width,
                       "of the best");
    for (const size_t c : order) {
        const Choice &choice = logged.table.choices[c];
        std::string values;
        for (const auto &[value, group] : logged.alike(c))
            if (std::isfinite(group.best))
                values += (values.empty() ? "" : ", ") + valueText(choice, value) + ": " + timeText(group.best);
        out += fmt::format("{:>7}  {:<{}}  {:<12}  {}\n",
                           known ? fmt::format("{:.1f} %", 100 * logged.share(c)) : std::string(), choice.name, width,
                           logged.valid > 0 ? choice.valueText(logged.table.values[c][logged.best]) : "", values);
    }
    return out;
}

} // namespace

int runChoices(const ChoicesOptions &options) {
    const LoadedTask loaded = loadTask(options.workload);
    const LoggedChoices logged = choicesOf(options.log, loaded);
    std::vector<size_t> order(logged.table.choices.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return logged.share(a) > logged.share(b); });
    if (options.workload.json)
        writeOutput(choicesJson(logged, order).dump(-1, ' ', false, ChoicesJson::error_handler_t::replace) + "\n");
    else
        writeOutput(choicesText(logged, order));
    return 0;
}

} // namespace loopscope
