#pragma once
// A diff of logs for people who were not there: one HTML file that needs nothing else, neither scripts nor pictures
// beside it, light or dark as its reader's screen is; and a table for programs.

#include "records/logs/log_diff.h"

#include <string>

namespace loopscope {

std::string diffHtml(const LogDiff &diff);
/// A head and a row for each task; fields with commas or quotes in quotes.
std::string diffCsv(const LogDiff &diff);
/// "B is 12.3 % faster than A over 14 tasks ..." of the totals with that log (1 is B).
std::string diffSentence(const LogDiff &diff, size_t other);
/// "A", "B", ..., of the logs in their order; "27" and so on behind Z.
std::string logLetter(size_t log);
/// verdictName with the letter of the other log, which is the one of that number.
std::string verdictText(DiffVerdict verdict, size_t other);
/// What a task is called: operators and shapes, else its key, shortened.
std::string taskTitle(const MatchedTask &task);

} // namespace loopscope
