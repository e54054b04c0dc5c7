#include "records/record/foreign_log.h"

#include "records/record/log_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr std::string_view kJsonBlanks = " \t\r\n";

/// Steps over one character with blanks in front of it.
bool takes(std::string_view &text, char wanted) {
    const size_t at = text.find_first_not_of(kJsonBlanks);
    if (at == std::string_view::npos || text[at] != wanted) return false;
    text.remove_prefix(at + 1);
    return true;
}

/// Steps over the digits of a whole number with blanks in front of it.
bool takesDigits(std::string_view &text) {
    text.remove_prefix(std::min(text.find_first_not_of(kJsonBlanks), text.size()));
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(digits);
    return digits > 0;
}

/// A member of that name stands somewhere.
bool names(std::string_view text, std::string_view member) {
    const std::string quoted = fmt::format("\"{}\"", member);
    for (size_t at = text.find(quoted); at != std::string_view::npos; at = text.find(quoted, at + 1)) {
        std::string_view behind = text.substr(at + quoted.size());
        if (takes(behind, ':')) return true;
    }
    return false;
}

/// {"input": [target, template, ...], "config": {...}, "result": ..., "version": 0.2}; before version 0.2
/// {"i": [target, template, ...], "r": ..., "v": 0.1}.
bool isAutoTvm(std::string_view line) {
    if (names(line, "input") && names(line, "config") && names(line, "result")) return true;
    if (!takes(line, '{') || !line.starts_with("\"i\"")) return false;
    line.remove_prefix(3);
    return takes(line, ':') && takes(line, '[') && takes(line, '"');
}

/// [0, [[instructions, decisions], ...]]
bool isMetaScheduleRecord(std::string_view line) {
    return takes(line, '[') && takesDigits(line) && takes(line, ',') && takes(line, '[') && takes(line, '[');
}

/// ["14096637468064709962", "base64 of a program"]
bool isMetaScheduleWorkload(std::string_view line) {
    return takes(line, '[') && takes(line, '"') && takesDigits(line) && takes(line, '"') && takes(line, ',') &&
           takes(line, '"');
}

/// One object over many lines, which a run that is not over leaves open; results have a schema.
bool isKernelTuner(std::string_view start) {
    if (names(start, "kernel_name") && (names(start, "tune_params_keys") || names(start, "cache"))) return true;
    return names(start, "schema_version") && names(start, "results") &&
           (names(start, "configuration") || names(start, "invalidity") || names(start, "measurements"));
}

} // namespace

std::optional<std::string> foreignLine(std::string_view line) {
    if (isMetaScheduleRecord(line))
        return "this is a tuning record of MetaSchedule, a trace of instructions; Loopscope reads Ansor's logs";
    if (isMetaScheduleWorkload(line))
        return "this is a workload of MetaSchedule's database; Loopscope reads Ansor's logs";
    if (line.starts_with('{') && isAutoTvm(line))
        return "this is a record of AutoTVM, a configuration of a template; Loopscope reads Ansor's logs";
    return std::nullopt;
}

std::optional<std::string> foreignLog(std::string_view start) {
    start = withoutMark(start);
    std::string_view line;
    while (true) { // to the first line that says something
        if (start.empty()) return std::nullopt;
        line = start.substr(0, start.find('\n'));
        if (!isLogComment(line)) break;
        start.remove_prefix(std::min(line.size() + 1, start.size()));
    }
    if (line.starts_with('{') && isKernelTuner(start))
        return "this is a cache or a result of Kernel Tuner; Loopscope reads Ansor's logs, one JSON record a line";
    if (isMetaScheduleRecord(line))
        return "these are the tuning records of MetaSchedule (database_tuning_record.json); Loopscope reads Ansor's "
               "logs, and a trace of MetaSchedule is none";
    if (isMetaScheduleWorkload(line))
        return "these are the workloads of MetaSchedule (database_workload.json); Loopscope reads Ansor's logs, and a "
               "trace of MetaSchedule is none";
    if (line.starts_with('{') && isAutoTvm(line))
        return "this is an AutoTVM log, of configurations of templates; Loopscope reads Ansor's logs, of schedules";
    return std::nullopt;
}

} // namespace loopscope
