#pragma once
// Reads the lines of a log as their writers spell them, ten times as fast as parseRecord. It knows the layout of a
// record and takes nothing else: no escapes behind the task, no other members, no numbers that are out of range. What
// it does not take may still be a record; parseRecord decides. What it takes parseRecord takes too, and reads the same.

#include "logs/line_facts.h"

#include <optional>
#include <string_view>

namespace loopscope {

/// From the start of the line to the end of its task array; empty when the line begins otherwise. Lines of one log
/// spell few tasks, which need to be read once. The byte behind the line must be readable, and be a control character.
std::string_view taskSpelling(std::string_view line);

/// What stands behind the task: steps and result. The byte behind must be as above.
std::optional<LineFacts> scanBehindTask(std::string_view rest);

} // namespace loopscope
