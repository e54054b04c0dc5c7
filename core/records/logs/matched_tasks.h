#pragma once
// Which tasks of several logs are the same: by key, by flattened key (old and new logs write shapes differently), and,
// where it is known what they compute, by operators and shapes. Records of one task in a log may lie under several keys
// or layout options; they count as one task here.

#include "records/logs/log_document.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class MatchedBy : uint8_t { Key, FlatKey, Workload };
std::string_view matchText(MatchedBy by); // "key", "flattened key", "operators and shapes"

struct MatchedTask {
    std::string key; // as the first log that has it writes it, and its target
    std::string target;
    std::string workload; // operators and shapes; empty: not known
    MatchedBy by = MatchedBy::Key;
    bool targetsDiffer = false; // another processor or number of cores
    bool layoutsDiffer = false; // another layout rewrite option: packed weights cost time, or do not
    /// Of each log the numbers of its tasks (LogDocument::tasks) that are this one; empty: it has none.
    std::vector<std::vector<uint32_t>> tasks;
    [[nodiscard]] bool in(size_t log) const { return !tasks[log].empty(); }
};

/// `workloads`: of each log, of each of its tasks, the operators and shapes (empty: not known); may be empty
/// altogether. In the order of the first log, what it lacks behind it.
std::vector<MatchedTask> matchTasks(std::span<const LogDocument *const> logs,
                                    const std::vector<std::vector<std::string>> &workloads);

} // namespace loopscope
