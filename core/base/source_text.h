#pragma once
// The text of a file in one of our languages and how a place in it is shown: `path:line:column`, the line itself and a
// caret below.

#include "base/nearest_name.h"
#include "base/outcome.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct SourceText {
    std::string_view text;
    std::string path;

    struct Place {
        int line = 1;   // from 1
        int column = 1; // from 1, in characters (UTF-8 sequences count once)
    };
    [[nodiscard]] Place placeOf(size_t offset) const;

    /// For `throw source.error(...)`; width is the number of carets' characters worth underlining.
    [[nodiscard]] Error error(size_t offset, const std::string &sentence, size_t width = 1) const;
};

/// The text with every character that nobody sees (no-break and zero-width spaces, marks that turn the direction) as
/// U+00A0 and so on.
std::string visibleText(std::string_view text);

/// `a`, `b` and `c`
std::string quotedList(const std::vector<std::string> &names);

} // namespace loopscope
