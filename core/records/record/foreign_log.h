#pragma once
// Files of other tuners that are taken for Ansor's logs: they end in .json or .log as well, and some have a line for a
// trial. None of them holds a schedule that a log of Ansor's could say.

#include <optional>
#include <string>
#include <string_view>

namespace loopscope {

/// What the file is that begins with this text, in a sentence ("this is an AutoTVM log; ..."); nothing where it is none
/// of those known. The text may be cut anywhere.
std::optional<std::string> foreignLog(std::string_view start);
/// The same of one line.
std::optional<std::string> foreignLine(std::string_view line);

constexpr size_t kForeignStart = size_t{64} << 10; // bytes of a file that tell

} // namespace loopscope
