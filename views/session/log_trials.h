#pragma once
// The trials of a tuning log as entries of a document, and the search for the workload a log belongs to. For jobs.

#include "record/record.h"
#include "views/session/document.h"

#include <QStringList>

#include <atomic>

namespace loopscope {

struct LogTrials {
    std::vector<TrialEntry> entries;
    int foreign = 0;      // records of other tasks
    QString firstForeign; // why the first of them is not of this task
    std::vector<SkippedLine> skipped;
    int best = -1; // of `entries`, a verdict of the log included
};
LogTrials trialsOfLog(const RecordLog &log, const Task &task, const std::vector<Sketch> &sketches,
                      const std::atomic<bool> &cancelled);

/// The first of the files (.te) whose task the log has records of; empty when there is none.
QString workloadOfLog(const RecordLog &log, const QStringList &files, const std::atomic<bool> &cancelled);

} // namespace loopscope
