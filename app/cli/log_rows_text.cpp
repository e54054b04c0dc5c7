#include "log_rows_text.h"

#include "base/check.h"
#include "choice.h"
#include "log_workloads.h"
#include "records/logs/log_filter.h"
#include "records/logs/log_rows.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace loopscope {

namespace {

struct NamedColumn {
    std::string_view name;
    LogColumn column;
};

const std::array<NamedColumn, 11> &logColumns() {
    static constexpr std::array<NamedColumn, 11> columns{{{"record", LogColumn::Record},
                                                          {"line", LogColumn::Line},
                                                          {"task", LogColumn::Task},
                                                          {"time", LogColumn::Time},
                                                          {"spread", LogColumn::Spread},
                                                          {"repeats", LogColumn::Repeats},
                                                          {"error", LogColumn::Error},
                                                          {"timestamp", LogColumn::Timestamp},
                                                          {"steps", LogColumn::Steps},
                                                          {"structure", LogColumn::Structure},
                                                          {"elements", LogColumn::Elements}}};
    return columns;
}

} // namespace

std::vector<std::string> logColumnWords() {
    std::vector<std::string> words;
    for (const NamedColumn &column : logColumns()) words.emplace_back(column.name);
    return words;
}

NotedRecords notedIn(const LogDocument &log) {
    return log.path() == "-" ? NotedRecords{} : notedRecords(log, loadLogNotes(log.path()));
}

std::vector<uint32_t> chosenRows(const LogDocument &log, const LogOptions &options) {
    const ParsedLogFilter parsed = parseLogFilter(options.filter);
    if (parsed.problem)
        throw UsageError(fmt::format("{} (at character {} of `{}`)", parsed.problem->sentence, parsed.problem->at + 1,
                                     options.filter));
    const auto &columns = logColumns();
    const auto column =
        std::find_if(columns.begin(), columns.end(), [&](const NamedColumn &one) { return one.name == options.sort; });
    LOOPSCOPE_CHECK(column != columns.end(), "the command line accepts no other column");
    const NotedRecords noted = parsed.filter && asksForNotes(*parsed.filter) ? notedIn(log) : NotedRecords{};
    std::vector<uint32_t> rows = selectRows(log, parsed.filter.get(), {column->column, options.descending}, noted);
    if (options.task >= 0) {
        const size_t task = chosenTasks(log, options).front(); // refuses one that is not there
        std::erase_if(rows, [&](uint32_t row) { return log.row(row).task != task; });
    }
    return rows;
}

std::string timestampText(int64_t timestamp) {
    std::tm parts{};
    const auto seconds = static_cast<std::time_t>(timestamp);
    if (timestamp <= 0 || gmtime_r(&seconds, &parts) == nullptr) return "-";
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string rowsHead() {
    return fmt::format("{:>8} {:>8} {:>5} {:>12} {:>8} {:>7}  {:<19} {:>5} {:>9}  {}\n", "record", "line", "task",
                       "time", "spread", "repeats", "UTC", "steps", "structure", "error");
}

std::string rowText(const LogDocument &log, size_t record, const RecordNote *note) {
    const LogRow &row = log.row(record);
    std::string noted;
    if (note != nullptr) {
        if (note->pinned) noted += "  pinned";
        for (const std::string &tag : note->tags) noted += "  #" + tag;
        if (!note->text.empty()) noted += "  " + note->text;
        std::replace(noted.begin(), noted.end(), '\n', ' ');
    }
    return fmt::format("{:>8} {:>8} {:>5} {:>12} {:>8} {:>7}  {:<19} {:>5} {:>9}  {}{}\n", record, row.line, row.task,
                       row.failed()       ? "failed"
                       : row.repeats == 0 ? "untimed"
                                          : timeText(row.seconds),
                       row.failed() || row.repeats < 2 ? std::string("-") : fmt::format("{:.1f} %", 100 * row.spread),
                       row.repeats, timestampText(row.timestamp), row.stepCount, row.structure,
                       row.failed()   ? trialErrorName(row.error)
                       : row.unstable ? "unstable"
                                      : "",
                       noted);
}

nlohmann::ordered_json noteJson(const RecordNote &note) {
    return {{"text", note.text}, {"tags", note.tags}, {"pinned", note.pinned}};
}

nlohmann::ordered_json rowJson(const LogDocument &log, size_t record) {
    const LogRow &row = log.row(record);
    return {
        {"record", record},
        {"line", row.line},
        {"task", row.task},
        {"seconds", jsonSeconds(row.seconds)},
        {"spread", row.failed() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row.spread)},
        {"repeats", row.repeats},
        {"error", row.failed() ? nlohmann::ordered_json(trialErrorName(row.error)) : nlohmann::ordered_json(nullptr)},
        {"unstable", row.unstable != 0},
        {"timestamp", row.timestamp},
        {"steps", row.stepCount},
        {"structure", row.structure},
        {"task_elements", static_cast<int>(row.taskElements)}};
}

} // namespace loopscope
