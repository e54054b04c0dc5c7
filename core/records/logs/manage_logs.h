#pragma once
// New logs from old ones: the best records, several logs as one, one as several, old versions as the newest. Records
// keep the bytes of their lines and the comments that belong to them, and stay in the order of their logs. Nothing of a
// log but its index is held in memory.

#include "records/logs/log_document.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct NewLogSummary {
    std::string path;
    size_t records = 0;
    uint64_t bytes = 0;
};

/// The `keep` best valid records of each task and target, each schedule once. Tasks are told apart as Ansor does: by
/// target and flattened key.
std::vector<size_t> bestRecords(const LogDocument &log, size_t keep);
NewLogSummary distilLog(const LogDocument &log, size_t keep, const std::string &out);

/// Records whose `i` is the same are one schedule measured again: the best of them stays. With `keepAll` every
/// measurement stays, and only lines that are the same to the letter go.
NewLogSummary mergeLogs(const std::vector<const LogDocument *> &logs, bool keepAll, const std::string &out);

enum class SplitBy : uint8_t { Task, Target };
/// Into a folder, which must be new or empty; named by number and what is in it: `000-conv2d_layer-llvm.json`.
std::vector<NewLogSummary> splitLog(const LogDocument &log, SplitBy by, const std::string &folder);

/// These records, ascending.
NewLogSummary writeRecords(const LogDocument &log, const std::vector<size_t> &records, const std::string &out);

struct ConvertedLog {
    NewLogSummary log;
    size_t changed = 0;  // lines that were of an older version
    size_t hardware = 0; // of these, those that did not say their hardware: Ansor's default for their target is written
};
/// Every record as version 0.6 has it; lines that are stay as they are. Throws Error for a record without hardware
/// parameters on a target that has no default.
ConvertedLog convertLog(const LogDocument &log, const std::string &out);

} // namespace loopscope
