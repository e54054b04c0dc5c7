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

/// Line by line, so that a long text can be read between two frames. The last line that is not blank stays open: only
/// the next one says whether it is a header.
class FoldScanner {
  public:
    explicit FoldScanner(CodeLanguage language) : m_language(language) {}
    void add(std::string_view line);
    [[nodiscard]] const std::vector<FoldLine> &lines() const { return m_lines; }
    /// Of these lines everything is known.
    [[nodiscard]] size_t settled() const { return m_filled > 0 ? m_filled - 1 : 0; }

  private:
    int levelOf(std::string_view line);
    int ofBraces(std::string_view line);
    int ofIr(std::string_view line);
    int ofAssembly(std::string_view line);
    int ofSass(std::string_view line);

    CodeLanguage m_language;
    int m_depth = 0;
    std::vector<FoldLine> m_lines;
    size_t m_filled = 0; // lines up to and with the last one that is not blank
};

/// Which level "fold all" closes: the outermost loops of a kernel rather than the kernel.
int foldAllLevel(CodeLanguage language);

} // namespace loopscope
