#include "views/logs/record_order.h"

#include "records/logs/log_filter.h"
#include "records/logs/log_rows.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace loopscope {

namespace {

LogColumn columnOf(int column) {
    switch (column) {
    case RecordModel::Task:
        return LogColumn::Task;
    case RecordModel::Time:
        return LogColumn::Time;
    case RecordModel::Spread:
        return LogColumn::Spread;
    case RecordModel::Repeats:
        return LogColumn::Repeats;
    case RecordModel::Result:
        return LogColumn::Error;
    case RecordModel::When:
        return LogColumn::Timestamp;
    case RecordModel::Steps:
        return LogColumn::Steps;
    case RecordModel::Structure:
        return LogColumn::Structure;
    default:
        return LogColumn::Record;
    }
}

/// By time over that of the task's best, which no column of the log has.
void sortByRatio(const LogDocument &log, std::vector<uint32_t> &records, bool descending) {
    std::vector<double> best;
    for (const LogTask &task : log.tasks()) best.push_back(task.best < log.size() ? log.row(task.best).seconds : 1.0);
    const auto ratio = [&](uint32_t record) { return log.row(record).seconds / best[log.row(record).task]; };
    const auto failed =
        std::stable_partition(records.begin(), records.end(), [&](uint32_t r) { return !log.row(r).failed(); });
    std::stable_sort(records.begin(), failed,
                     [&](uint32_t a, uint32_t b) { return descending ? ratio(a) > ratio(b) : ratio(a) < ratio(b); });
}

bool isNoted(int column) {
    return column == RecordModel::Pinned || column == RecordModel::Tags || column == RecordModel::Note;
}

std::string noteKey(const RecordNote &note, int column) {
    if (column == RecordModel::Pinned) return note.pinned ? "pinned" : std::string();
    if (column == RecordModel::Note) return note.text;
    std::string tags;
    for (const std::string &tag : note.tags) tags += tag + ' ';
    return tags;
}

/// Those that have something there, by what it says; behind them all others, in the order of the log.
void sortByNote(const NotedRecords &noted, std::vector<uint32_t> &records, int column, bool descending) {
    std::map<uint32_t, std::string> keys;
    for (const auto &[record, note] : noted.all)
        if (std::string key = noteKey(note, column); !key.empty()) keys.emplace(record, std::move(key));
    const auto without =
        std::stable_partition(records.begin(), records.end(), [&](uint32_t record) { return keys.contains(record); });
    std::stable_sort(records.begin(), without, [&](uint32_t a, uint32_t b) {
        return descending ? keys.at(b) < keys.at(a) : keys.at(a) < keys.at(b);
    });
}

} // namespace

QString filterProblem(const QString &filter) {
    const ParsedLogFilter parsed = parseLogFilter(filter.toStdString());
    return parsed.problem ? QString::fromStdString(parsed.problem->sentence) : QString();
}

bool needsNotes(const RecordsWanted &wanted) {
    if (isNoted(wanted.column)) return true;
    const ParsedLogFilter parsed = parseLogFilter(wanted.filter.toStdString());
    return parsed.filter && asksForNotes(*parsed.filter);
}

RecordOrder orderRecords(const LogDocument &log, const RecordsWanted &wanted, const NotedRecords &noted) {
    if (wanted.all()) return {};
    LogFilterNode all{.kind = LogFilterNode::Kind::And};
    if (const ParsedLogFilter parsed = parseLogFilter(wanted.filter.toStdString()); parsed.filter)
        all.children.push_back(*parsed.filter);
    if (wanted.task >= 0)
        all.children.push_back({.kind = LogFilterNode::Kind::Number,
                                .column = LogColumn::Task,
                                .least = static_cast<double>(wanted.task),
                                .greatest = static_cast<double>(wanted.task)});
    const bool ratio = wanted.column == RecordModel::OfBest;
    const bool notes = isNoted(wanted.column);
    std::vector<uint32_t> records =
        selectRows(log, all.children.empty() ? nullptr : &all,
                   {.by = columnOf(wanted.column), .descending = !ratio && !notes && wanted.descending}, noted);
    if (notes) sortByNote(noted, records, wanted.column, wanted.descending);
    if (ratio) sortByRatio(log, records, wanted.descending);
    return records;
}

} // namespace loopscope
