#pragma once
// What each character of a line is, for the languages we show. A line never depends on the one before it (none of our
// texts has strings or comments of several lines), so only the lines on screen are ever looked at, however long the
// text is.

#include "views/text/code_language.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// The numbers are those of the editor's styles.
enum class CodeStyle : uint8_t {
    Text, // punctuation too: matching braces must have one style everywhere, seen or not
    Keyword,
    Number,
    String,
    Comment,
    Function,
    Type,
    Register,
    Label,
    Quiet,    // directives, metadata
    Parallel, // loop kinds, as the loop tree colours them
    Vector,   // vectorized loops, vector types, vector instructions
    Unroll,
    BlockBound,
    VThreadBound,
    ThreadBound,
};
inline constexpr int kCodeStyles = static_cast<int>(CodeStyle::ThreadBound) + 1;

/// One style per byte of the line (without its end of line).
void styleLine(CodeLanguage language, std::string_view line, std::vector<CodeStyle> &styles);

/// For tests: "Keyword:for Text:_i_in ...", runs of one style with blanks as `_`.
std::string styleRuns(CodeLanguage language, std::string_view line);

} // namespace loopscope
