#pragma once
// Which records of a log, in which order: a million within the blink of an eye.

#include "records/logs/log_document.h"
#include "records/logs/log_filter.h"
#include "records/logs/noted_records.h"

#include <cstdint>
#include <vector>

namespace loopscope {

struct LogOrder {
    LogColumn by = LogColumn::Record;
    /// Equals stay in the order of the log, and records without a time behind all others, either way.
    bool descending = false;
};

/// Numbers of the records that pass the filter (null: all). `threads` <= 0: as many as the machine has; the result is
/// the same with any number.
std::vector<uint32_t> selectRows(const LogDocument &log, const LogFilterNode *filter, const LogOrder &order = {},
                                 int threads = 2);
/// For filters that ask for notes (asksForNotes); without them no record has any.
std::vector<uint32_t> selectRows(const LogDocument &log, const LogFilterNode *filter, const LogOrder &order,
                                 const NotedRecords &noted, int threads = 2);

/// Whether one record passes.
bool passes(const LogDocument &log, const LogFilterNode &filter, size_t record);

} // namespace loopscope
