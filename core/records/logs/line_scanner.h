#pragma once
// Reads the lines of a log as their writers spell them, ten times as fast as parseRecord. It knows the layout of a
// record and takes nothing else: no escapes in what it needs to understand, no numbers that are out of range. Members
// and elements that no version has are passed over. What it does not take may still be a record; parseRecord decides.
// What it takes parseRecord takes too, and reads the same, if it has taken a line with that task array before.

#include "records/logs/line_facts.h"

#include <optional>
#include <string_view>

namespace loopscope {

struct ScannedLine {
    std::string_view task; // the task array as it is spelled, of which lines of one log have few; not looked at
    LineFacts facts;
};

/// `likely`: a task array that the line may have, which is then found faster. The byte behind the line must be
/// readable, and be a control character.
std::optional<ScannedLine> scanLine(std::string_view line, std::string_view likely = {});

} // namespace loopscope
