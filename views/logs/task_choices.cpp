#include "views/logs/task_choices.h"

#include "records/logs/log_curve.h"
#include "schedule/choices/choice_importance.h"
#include "schedule/choices/choice_table.h"
#include "views/session/text.h"

#include <algorithm>
#include <map>

namespace loopscope {

namespace {

constexpr size_t kMaxLookedAt = 3000;

std::vector<uint32_t> lookedAt(const LogDocument &log, int task, size_t &valid) {
    std::vector<uint32_t> records = recordsOfTask(log, static_cast<size_t>(task));
    std::erase_if(records, [&](uint32_t record) { return log.row(record).failed(); });
    valid = records.size();
    if (records.size() <= kMaxLookedAt) return records;
    const size_t best = log.tasks()[static_cast<size_t>(task)].best;
    std::vector<uint32_t> some;
    const double step = static_cast<double>(records.size()) / static_cast<double>(kMaxLookedAt);
    for (size_t i = 0; i < kMaxLookedAt; ++i)
        some.push_back(records[static_cast<size_t>(static_cast<double>(i) * step)]);
    if (best < log.size() && !std::binary_search(some.begin(), some.end(), best))
        some.insert(std::lower_bound(some.begin(), some.end(), best), static_cast<uint32_t>(best));
    return some;
}

TaskChoices::Line lineOf(const Choice &choice, const std::vector<float> &values, const std::vector<double> &seconds,
                         const std::vector<uint32_t> &records, size_t best) {
    TaskChoices::Line line;
    line.name = qt(choice.name);
    std::map<QString, std::pair<TaskChoices::Value, uint32_t>> byText;
    for (size_t i = 0; i < values.size(); ++i) {
        const QString text = qt(choice.valueText(static_cast<double>(values[i])));
        auto &[value, record] = byText[text];
        if (value.records++ == 0 || seconds[i] < value.least) {
            value.least = seconds[i];
            record = records[i];
        }
        value.text = text;
        if (records[i] == best) line.ofBest = text;
    }
    std::vector<std::pair<TaskChoices::Value, uint32_t>> sorted;
    for (const auto &[text, value] : byText) sorted.push_back(value);
    std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.first.least < b.first.least; });
    for (const auto &[value, record] : sorted) line.values.push_back(value);
    if (!sorted.empty()) line.fastest = sorted.front().second;
    return line;
}

} // namespace

TaskChoices choicesOfTask(const LogDocument &log, int task, const DagPtr &dag, const std::atomic<bool> &cancelled) {
    TaskChoices result;
    const std::vector<uint32_t> records = lookedAt(log, task, result.of);
    std::vector<PackedSteps> schedules;
    std::vector<double> seconds;
    for (const uint32_t record : records) {
        if (cancelled) return {};
        schedules.push_back(log.record(record).trial.steps);
        seconds.push_back(log.row(record).seconds);
    }
    result.records = records.size();
    const ChoiceTable table = choiceTable(dag, schedules, &cancelled);
    const ChoiceImportance importance = choiceImportance(table, seconds, &cancelled);
    if (cancelled) return {};
    result.explained = importance.explained;
    const size_t best = log.tasks()[static_cast<size_t>(task)].best;
    for (size_t i = 0; i < table.choices.size(); ++i) {
        result.lines.push_back(lineOf(table.choices[i], table.values[i], seconds, records, best));
        if (i < importance.share.size()) result.lines.back().share = importance.share[i];
    }
    std::stable_sort(result.lines.begin(), result.lines.end(),
                     [](const auto &a, const auto &b) { return a.share > b.share; });
    return result;
}

} // namespace loopscope
