#pragma once
// Text of a file on its way to somebody's screen. A name, a key or a reason may hold anything: sequences that a
// terminal obeys, or a megabyte in one word.

#include <string>
#include <string_view>

namespace loopscope {

/// With what a terminal might obey instead of showing written as \u001b: control characters but for line feeds and
/// tabs, those above 0x7f, marks that turn the direction of text, bytes that are no UTF-8. JSON stays the same JSON.
std::string shownText(std::string_view text);

/// The same of a sentence about a file, whose lines are cut in their middle where they are longer than anybody reads:
/// they begin with what is wrong, and end with what would be right.
std::string shownSentence(std::string_view sentence);

} // namespace loopscope
