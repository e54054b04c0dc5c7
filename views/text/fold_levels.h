#pragma once
// How deep each line is nested, so that a loop, a function or a label can be folded away.

#include "views/text/code_language.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct FoldLine {
    uint16_t level = 0;
    bool header = false; // the lines after it are deeper
    bool blank = false;
};

/// One per line of the text; a text that ends with a line break has an empty line behind it, as editors count.
std::vector<FoldLine> foldLines(CodeLanguage language, std::string_view text);

/// Which level "fold all" closes: the outermost loops of a kernel rather than the kernel.
int foldAllLevel(CodeLanguage language);

/// For tests: a line of ">" per level, "+" at headers, before each line of the text.
std::string foldPicture(CodeLanguage language, std::string_view text);

} // namespace loopscope
