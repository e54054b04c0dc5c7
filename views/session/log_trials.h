#pragma once
// The trials of a tuning log as entries of a document, and the search for the workload a log belongs to. For jobs.

#include "records/record/record.h"
#include "views/session/document.h"

#include <QStringList>

#include <atomic>
#include <map>

namespace loopscope {

/// A record of a log: where it stands, and what it is. Programs that write to one log move each other's numbers.
struct RecordPlace {
    int number = -1;
    QString name; // empty: not known, as in session files that gave the number alone
};
/// For each of `wanted` its place in `there`; -1 for none, no place twice. What stands where it stood goes first, then
/// what has the name, in order.
std::vector<int> findRecords(const std::vector<RecordPlace> &wanted, const std::vector<RecordPlace> &there);

struct LogTrials {
    std::vector<TrialEntry> entries;
    int foreign = 0; // records of other tasks
    /// Records of this workload on other targets, by the target as logged: their times are not comparable.
    std::map<QString, int> otherTargets;
    QString firstForeign; // why the first of them is not of this task
    std::vector<SkippedLine> skipped;
    int winner = -1; // of `entries`: that of the last comparison the log tells of
    TimeInterval winnerTime;
    int decided = 0; // entries there were then
};

/// Its target as logged, with what a target is taken to say here where the text does not: the processor its compiler
/// assumed, not this machine's, and the cores that its hardware parameters name, which go before those of the text. A
/// task on this target is one the record was measured for.
QString loggedTarget(const Record &record);

LogTrials trialsOfLog(const RecordLog &log, const Task &task, const std::vector<Sketch> &sketches,
                      const std::atomic<bool> &cancelled);

/// The records of one task of a log whose workload nobody knows.
struct UnknownTask {
    UnknownWorkload task;
    QString name; // "matmul_add (1024, 1024, 1024)", from the key
    std::vector<TrialEntry> entries;
};
/// All of them, in the order in which they come in the log.
std::vector<UnknownTask> unknownTasks(const RecordLog &log, const std::atomic<bool> &cancelled);
/// What was skipped, one line a reason: "lines 3, 7 and 12 more: ..."; empty when nothing was.
QString skippedText(const std::vector<SkippedLine> &skipped);

/// The first of the files (.te) whose task the log has records of; empty when there is none. `problem`: why the log's
/// own target is none, in which case no file is looked at.
QString workloadOfLog(const RecordLog &log, const QStringList &files, const std::atomic<bool> &cancelled,
                      QString *problem = nullptr);

} // namespace loopscope
