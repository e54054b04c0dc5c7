#pragma once
// Which records of a log are shown, and in which order. Of a million within a blink or two, so it is a job's.

#include "records/logs/log_document.h"
#include "views/logs/record_model.h"

#include <QString>

namespace loopscope {

struct RecordsWanted {
    int task = -1; // -1: of all tasks
    QString filter = {};
    int column = RecordModel::Line; // they are sorted by
    bool descending = false;
    [[nodiscard]] bool all() const {
        return task < 0 && filter.isEmpty() && column == RecordModel::Line && !descending;
    }
    bool operator==(const RecordsWanted &) const = default;
};

/// Why the text is no filter: one sentence; empty when it is one.
QString filterProblem(const QString &filter);

/// Equals stand in the order of the log, records without a time behind all others. A filter that is none hides nothing.
RecordOrder orderRecords(const LogDocument &log, const RecordsWanted &wanted,
                         const NotedRecords &noted = NotedRecords());
/// Whether what is noted decides which records are shown, or in which order.
bool needsNotes(const RecordsWanted &wanted);

} // namespace loopscope
