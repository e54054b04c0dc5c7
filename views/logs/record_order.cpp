#include "views/logs/record_order.h"

#include "logs/log_filter.h"
#include "logs/log_rows.h"

#include <algorithm>
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

} // namespace

QString filterProblem(const QString &filter) {
    const ParsedLogFilter parsed = parseLogFilter(filter.toStdString());
    return parsed.problem ? QString::fromStdString(parsed.problem->sentence) : QString();
}

RecordOrder orderRecords(const LogDocument &log, const RecordsWanted &wanted) {
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
    std::vector<uint32_t> records =
        selectRows(log, all.children.empty() ? nullptr : &all,
                   {.by = columnOf(wanted.column), .descending = !ratio && wanted.descending});
    if (ratio) sortByRatio(log, records, wanted.descending);
    return records;
}

} // namespace loopscope
