#pragma once
// Lines of a generated text while it is written: indentation, and of each line the line of the printed program it comes
// from.

#include "codegen/kernel_code.h"

#include <cstddef>
#include <string>
#include <vector>

namespace loopscope {

class TextLines {
  public:
    /// `programLine` 0: of none.
    void line(const std::string &text, int programLine = 0);
    void blank() { m_lines.emplace_back(); }
    void deeper() { ++m_depth; }
    void back() { --m_depth; }

    /// Where the next line will stand.
    [[nodiscard]] size_t mark() const { return m_lines.size(); }
    /// A line before the one at `mark`, indented and linked as that is.
    void insertBefore(size_t mark, const std::string &text);
    /// All of another text, as it is.
    void append(const TextLines &other);

    [[nodiscard]] LinkedText finished() const;

  private:
    struct Line {
        std::string text;
        int programLine = 0;
    };
    std::vector<Line> m_lines;
    int m_depth = 0;
};

} // namespace loopscope
