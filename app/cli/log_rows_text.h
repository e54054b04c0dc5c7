#pragma once
// A record of a log as a row: which rows a user asked for, as text and as JSON.

#include "log_options.h"
#include "records/logs/log_document.h"
#include "records/logs/noted_records.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace loopscope {

/// What --sort takes.
std::vector<std::string> logColumnWords();
/// By --task, --filter (or --where), --sort and --descending. Throws UsageError for a filter that makes no sense.
std::vector<uint32_t> chosenRows(const LogDocument &log, const LogOptions &options);

std::string rowsHead();
std::string rowText(const LogDocument &log, size_t record, const RecordNote *note = nullptr); // with its newline
nlohmann::ordered_json rowJson(const LogDocument &log, size_t record);
nlohmann::ordered_json noteJson(const RecordNote &note);

/// Of what is noted beside the log: of a log on standard input nothing.
NotedRecords notedIn(const LogDocument &log);
/// "2026-11-23 00:40:01" in UTC.
std::string timestampText(int64_t timestamp);

} // namespace loopscope
