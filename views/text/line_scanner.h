#pragma once
// Reads a line of code from left to right and notes the style of what it read; the languages are functions over it.

#include "views/text/line_styles.h"

#include <algorithm>
#include <span>

namespace loopscope {

class LineScanner {
  public:
    LineScanner(std::string_view line, std::vector<CodeStyle> &styles) : m_line(line), m_styles(styles) {
        m_styles.assign(line.size(), CodeStyle::Text);
    }

    [[nodiscard]] bool done() const { return m_at >= m_line.size(); }
    [[nodiscard]] size_t at() const { return m_at; }
    [[nodiscard]] char peek(size_t ahead = 0) const {
        return m_at + ahead < m_line.size() ? m_line[m_at + ahead] : '\0';
    }
    [[nodiscard]] std::string_view rest() const { return m_line.substr(m_at); }
    [[nodiscard]] bool startsWith(std::string_view text) const { return rest().starts_with(text); }

    /// The next `count` characters have this style.
    std::string_view take(size_t count, CodeStyle style) {
        const std::string_view taken = m_line.substr(m_at, count);
        std::fill_n(m_styles.begin() + static_cast<std::ptrdiff_t>(m_at), taken.size(), style);
        m_at += taken.size();
        return taken;
    }
    std::string_view takeRest(CodeStyle style) { return take(m_line.size() - m_at, style); }
    template <typename Belongs> std::string_view takeWhile(const Belongs &belongs, CodeStyle style) {
        size_t end = m_at;
        while (end < m_line.size() && belongs(m_line[end])) ++end;
        return take(end - m_at, style);
    }
    template <typename Belongs> [[nodiscard]] std::string_view look(const Belongs &belongs) const {
        size_t end = m_at;
        while (end < m_line.size() && belongs(m_line[end])) ++end;
        return m_line.substr(m_at, end - m_at);
    }
    void skipBlanks() {
        while (peek() == ' ' || peek() == '\t') ++m_at;
    }
    /// From the quote here to its partner, escapes by backslash.
    void takeQuoted(CodeStyle style) {
        const char quote = peek();
        size_t end = m_at + 1;
        while (end < m_line.size() && m_line[end] != quote) end += m_line[end] == '\\' ? 2 : 1;
        take(std::min(end + 1, m_line.size()) - m_at, style);
    }
    /// A number as C and our languages write it: 12, 0x1F, 1.5e-3f, not the two dots of a range.
    void takeNumber() {
        size_t end = m_at;
        const auto at = [&](size_t i) { return i < m_line.size() ? m_line[i] : '\0'; };
        while (isWord(at(end)) || (at(end) == '.' && at(end + 1) != '.') ||
               ((at(end) == '-' || at(end) == '+') && end > m_at && (at(end - 1) == 'e' || at(end - 1) == 'E') &&
                isDigit(at(end + 1)) && at(m_at + 1) != 'x'))
            ++end;
        take(std::max<size_t>(end - m_at, 1), CodeStyle::Number);
    }

    static bool isDigit(char c) { return c >= '0' && c <= '9'; }
    static bool isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
    }
    static bool isWord(char c) { return isLetter(c) || isDigit(c); }
    /// Names of ops and iterators have dots and at signs inside.
    static bool isDotted(char c) { return isWord(c) || c == '.' || c == '@'; }

  private:
    std::string_view m_line;
    std::vector<CodeStyle> &m_styles;
    size_t m_at = 0;
};

/// `words` is sorted.
inline bool isOneOf(std::string_view word, std::span<const std::string_view> words) {
    return std::binary_search(words.begin(), words.end(), word);
}

// The languages, one file each.
void styleScript(LineScanner &scan);
void styleTe(LineScanner &scan);
void styleLoopProgram(LineScanner &scan);
void styleC(LineScanner &scan);
void styleCuda(LineScanner &scan);
void stylePtx(LineScanner &scan);
void styleSass(LineScanner &scan);
void styleLlvmIr(LineScanner &scan);
void styleAssembly(LineScanner &scan);

} // namespace loopscope
