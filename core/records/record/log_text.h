#pragma once
// The text of a log file beneath its records: reading it whole, its comment lines, and the line that names the winner
// of a comparison.

#include "records/record/record.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace loopscope {

/// From the start, whatever was read before. Throws Error.
std::string readLogText(int fd, const std::string &path);

/// Without the mark that editors of another system begin UTF-8 files with.
inline std::string_view withoutMark(std::string_view text) {
    return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

/// Comments and empty lines hold no record.
inline bool isLogComment(std::string_view line) {
    return line.empty() || line == "\r" || line[0] == '#' || line[0] == ' ';
}

constexpr size_t kMaxLineBytes = size_t{8} << 20; // a thousand times a long record
constexpr size_t kMaxBrokenLines = 100'000;       // that are listed, of a file that is something else
constexpr size_t kMaxComments = 64;               // in front of one record

/// Reads what one of the comment lines in front of a record says of its trial; anything else is somebody's remark.
void readLogComment(std::string_view comment, Record &record);
/// Why a line of so many bytes is not looked at.
std::string lineTooLong(size_t bytes);

/// Who came next in a comparison.
struct RunnerUp {
    std::string name; // recordName, or words for what is no record
    TimeInterval time;
};
/// Of the record of that name; without its newline. What stands behind the winner's interval is for people.
std::string verdictLine(const std::string &name, const TimeInterval &time, const std::optional<RunnerUp> &next);

struct VerdictText {
    std::optional<size_t> number; // of the record, from 0: how logs were written once
    std::string name;             // recordName
    TimeInterval time;            // of the winner; unknown when the line does not say it
};
/// Nothing when the comment is no verdict.
std::optional<VerdictText> readVerdict(std::string_view comment);

} // namespace loopscope
