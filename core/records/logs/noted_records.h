#pragma once
// Which records of a log the notes beside it (records/logs/sidecar.h) are about. Notes know records by their names,
// which the index of a log does not have: where a note says in which line its record stood, one look there is enough;
// else every record is read. A schedule that was measured several times has one name, and all of its records carry the
// note.

#include "records/logs/log_document.h"
#include "records/logs/log_filter.h"
#include "records/logs/sidecar.h"

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace loopscope {

struct NotedRecords {
    std::vector<std::pair<uint32_t, RecordNote>> all; // ascending
    size_t lost = 0;                                  // notes about records that the log does not hold
    /// Of a record that nobody noted: null.
    [[nodiscard]] const RecordNote *of(uint32_t record) const;
};

/// Throws Error when the log is no longer what it was. Nothing once cancelled.
NotedRecords notedRecords(const LogDocument &log, const LogNotes &notes, const std::atomic<bool> *cancelled = nullptr);

/// Whether the filter asks for notes, so that somebody has to find the records they are about.
bool asksForNotes(const LogFilterNode &filter);

} // namespace loopscope
