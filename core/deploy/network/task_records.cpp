#include "deploy/network/task_records.h"

#include "language/task/task.h"
#include "schedule/loop_state.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

/// Of one log for one task.
Outcome<TaskRecord> recordIn(const RecordLog &log, const Task &task) {
    const Outcome<size_t> best = bestRecord(log, task);
    if (!best) return best.refusal();
    const Record &record = log.records[*best];
    if (const auto same = targetMatches(record, task.target); !same)
        return Refusal{fmt::format("record {} of {} was measured on another target: {}", *best, log.path, same.why())};
    Steps steps = record.trial.steps.unpack();
    if (const auto state = replay(task.dag, steps); !state)
        return Refusal{fmt::format("record {} of {} does not fit: {}", *best, log.path, state.why())};
    return TaskRecord{
        log.path, *best, recordName(record), std::move(steps), record.trial.cost(), record.trial.weightBytes > 0};
}

/// As bestRecord has it within one log.
bool isBetter(const TaskRecord &a, const TaskRecord &b) {
    return a.ofNetwork == b.ofNetwork ? a.seconds < b.seconds : a.ofNetwork;
}

} // namespace

size_t TaskRecords::found() const {
    return static_cast<size_t>(
        std::count_if(best.begin(), best.end(), [](const auto &one) { return one.has_value(); }));
}

double TaskRecords::seconds(const std::vector<NetworkTask> &tasks) const {
    double sum = 0;
    for (size_t i = 0; i < tasks.size(); ++i)
        if (best[i]) sum += tasks[i].weight * best[i]->seconds;
    return sum;
}

TaskRecords recordsOfTasks(const std::vector<NetworkTask> &tasks, const Target &target,
                           const std::vector<std::string> &logs) {
    TaskRecords records;
    records.best.resize(tasks.size());
    records.whyNot.resize(tasks.size());
    for (size_t i = 0; i < tasks.size(); ++i)
        if (!tasks[i].dag)
            records.whyNot[i] = tasks[i].whyNot;
        else if (logs.empty())
            records.whyNot[i] = "no log was given";
    for (const std::string &path : logs) {
        const RecordLog log = loadRecordLog(path);
        if (!log.skipped.empty())
            records.notes.push_back(fmt::format(
                "{}:{}: {}{}", path, log.skipped.front().line, log.skipped.front().reason,
                log.skipped.size() > 1 ? fmt::format(", and {} more lines cannot be read", log.skipped.size() - 1)
                                       : ""));
        for (size_t i = 0; i < tasks.size(); ++i) {
            if (!tasks[i].dag) continue;
            Task task = makeTask(tasks[i].dag, target);
            auto found = recordIn(log, task);
            if (!found) {
                if (!records.best[i]) records.whyNot[i] = found.why();
            } else if (!records.best[i] || isBetter(*found, *records.best[i])) {
                records.best[i] = std::move(found).value();
                records.whyNot[i].clear();
            }
        }
    }
    return records;
}

std::map<std::string, KnownSchedule, std::less<>> knownSchedules(const std::vector<NetworkTask> &tasks,
                                                                 const TaskRecords &records) {
    std::map<std::string, KnownSchedule, std::less<>> known;
    for (size_t i = 0; i < tasks.size(); ++i)
        if (records.best[i])
            known.try_emplace(tasks[i].key, KnownSchedule{records.best[i]->steps, "record " + records.best[i]->name});
    return known;
}

} // namespace loopscope
