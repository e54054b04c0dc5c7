#pragma once
// The line people type to see fewer records of a log, in the language of the trials' table: `time < 2ms failed task:3`.
// Words next to each other must all hold (`and`, `&&` between them are welcome), `or` or `||` joins alternatives, `-`,
// `!` or `not` turns what follows round, brackets group. A text that is no filter is answered by one sentence with the
// place, saying what would be legal.
//
//   time < 2ms   spread <= 5%   repeats:3   steps > 40   line:100..200   record < 10   task:3   structure:0 elements:6
//   timestamp >= 2024-01-31   timestamp > 1700000000
//   key:conv2d   target:cuda   failure:wrong-answer   reason:"out of memory"
//   tag:keep   note:"look again"
//   failed   valid   unstable   best   pinned   noted
//   anything else is looked for in keys, targets, kinds of failure and reasons
//
// Tasks, structures and records count from 0, lines from 1. All numbers in reasons are alike. A tag is meant as a
// whole; tags, notes and pins stand beside the log (records/logs/noted_records.h).

#include "records/logs/log_row.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class LogColumn : uint8_t {
    Record,
    Line,
    Task,
    Time,
    Spread,
    Repeats,
    Error,
    Timestamp,
    Steps,
    Structure,
    Elements
};

struct LogFilterNode {
    enum class Kind : uint8_t { And, Or, Not, Number, Text, Flag };
    enum class Text : uint8_t { Key, Target, Failure, Reason, Note, Tag, Anywhere };
    enum class Flag : uint8_t { Failed, Valid, Unstable, Best, Pinned, Noted };
    Kind kind = Kind::And;
    std::vector<LogFilterNode> children = {};
    LogColumn column{}; // Number: it must lie within [least, greatest], or outside; failed records have no time
    double least = 0;
    double greatest = 0;
    bool outside = false;
    Text field{};          // Text
    std::string text = {}; // in lower case
    Flag flag{};
};

struct LogFilterProblem {
    size_t at = 0; // bytes from the start of the text
    size_t length = 0;
    std::string sentence;
};

struct ParsedLogFilter {
    std::shared_ptr<const LogFilterNode> filter; // null: everything passes, or there is a problem
    std::optional<LogFilterProblem> problem;
};
ParsedLogFilter parseLogFilter(std::string_view text);

/// The fields and states of the language, for completion and help.
std::vector<std::string> logFilterWords();

} // namespace loopscope
