#pragma once
// The words of a filter text with their places, for the parser, for completion and for underlining; and reading them
// one after the other.

#include <QString>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace loopscope {

struct FilterToken {
    /// Not: '-', '!' or a dash in front of a condition. Both: '&', '&&'. Either: '|', '||'. Separator: ',' or ';'
    /// behind a word, which joins nothing.
    enum Kind : uint8_t { Word, Quoted, OpenQuote, Operator, Not, Both, Either, Separator, Open, Close, End };
    Kind kind = End;
    QString text; // without quotes
    int at = 0;   // first character
    int length = 0;
};

/// Ends with an End token.
std::vector<FilterToken> filterTokens(const QString &text);

/// Where the parser is among them, and what stands there.
class FilterCursor {
  public:
    explicit FilterCursor(const QString &text) : m_tokens(filterTokens(text)) {}

    [[nodiscard]] const FilterToken &now() const { return m_tokens[m_at]; }
    [[nodiscard]] const FilterToken &next() const { return m_tokens[std::min(m_at + 1, m_tokens.size() - 1)]; }
    /// What stands here; goes on to the next, and stays at the End token.
    FilterToken take() { return m_tokens[m_at + 1 < m_tokens.size() ? m_at++ : m_at]; }

    [[nodiscard]] bool isWord(const char *word) const {
        return now().kind == FilterToken::Word && now().text.compare(QLatin1String(word), Qt::CaseInsensitive) == 0;
    }
    [[nodiscard]] bool isOr() const { return now().kind == FilterToken::Either || isWord("or"); }
    [[nodiscard]] bool isAnd() const { return now().kind == FilterToken::Both || isWord("and"); }
    [[nodiscard]] bool atEnd() const { return now().kind == FilterToken::End || now().kind == FilterToken::Close; }

  private:
    std::vector<FilterToken> m_tokens;
    size_t m_at = 0;
};

} // namespace loopscope
