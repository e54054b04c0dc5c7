#pragma once
// Reading position in a token list, with the look-ahead the grammar needs and errors at the right place.

#include "language/te/language/lexer.h"

#include <algorithm>
#include <utility>

namespace loopscope {

class TokenCursor {
  public:
    TokenCursor(const SourceText &source, std::vector<Token> tokens) : m_source(source), m_tokens(std::move(tokens)) {}

    [[nodiscard]] const Token &peek(size_t ahead = 0) const {
        return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
    }
    const Token &next() {
        const Token &token = peek();
        if (m_at + 1 < m_tokens.size()) ++m_at;
        return token;
    }
    bool accept(std::string_view symbol) {
        if (!peek().is(symbol)) return false;
        next();
        return true;
    }
    /// `context` completes "expected `)` ..."; empty for none.
    void expect(std::string_view symbol, std::string_view context);
    /// A plain or quoted name.
    const Token &expectName(std::string_view what);

    [[nodiscard]] size_t at() const { return m_at; }
    void moveTo(size_t index) { m_at = index; }
    [[nodiscard]] const std::vector<Token> &tokens() const { return m_tokens; }
    [[nodiscard]] const SourceText &source() const { return m_source; }

    /// From an opening bracket at `index`: index of the bracket that closes it, or of the End token.
    [[nodiscard]] size_t closing(size_t index) const;
    /// Index of the first `symbol` directly inside the brackets opened at `index`, at or after `from`; npos without
    /// one.
    [[nodiscard]] size_t findInside(size_t index, std::string_view symbol, size_t from) const;
    static constexpr size_t npos = static_cast<size_t>(-1);

    [[nodiscard]] Error error(const Token &token, const std::string &sentence) const {
        return m_source.error(token.offset, sentence, token.length);
    }
    /// "expected X, found Y" at the current token.
    [[nodiscard]] Error unexpected(const std::string &expected) const;

  private:
    const SourceText &m_source;
    std::vector<Token> m_tokens;
    size_t m_at = 0;
};

/// How a token is named in a sentence: `conv`, the end of the file, ...
std::string describe(const Token &token);

} // namespace loopscope
