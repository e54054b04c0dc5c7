#include "language/te/language/token_cursor.h"

namespace loopscope {

namespace {
int bracketStep(const Token &token) {
    if (token.kind != TokenKind::Symbol || token.text.size() != 1) return 0;
    const char c = token.text[0];
    if (c == '(' || c == '[') return 1;
    return c == ')' || c == ']' ? -1 : 0;
}
} // namespace

std::string describe(const Token &token) {
    switch (token.kind) {
    case TokenKind::End:
        return "the end of the file";
    case TokenKind::Text:
        return quoted(token.text);
    default:
        return "`" + token.text + "`";
    }
}

Error TokenCursor::unexpected(const std::string &expected) const {
    return error(peek(), "expected " + expected + ", found " + describe(peek()));
}

void TokenCursor::expect(std::string_view symbol, std::string_view context) {
    if (accept(symbol)) return;
    std::string expected = "`" + std::string(symbol) + "`";
    if (!context.empty()) expected += " " + std::string(context);
    throw unexpected(expected);
}

const Token &TokenCursor::expectName(std::string_view what) {
    if (peek().kind != TokenKind::Name && peek().kind != TokenKind::Text) throw unexpected(std::string(what));
    if (peek().text.empty()) throw error(peek(), "a name cannot be empty");
    return next();
}

size_t TokenCursor::closing(size_t index) const {
    int depth = 0;
    for (size_t i = index; i < m_tokens.size(); ++i) {
        depth += bracketStep(m_tokens[i]);
        if (depth <= 0) return i;
    }
    return m_tokens.size() - 1;
}

size_t TokenCursor::findInside(size_t index, std::string_view symbol, size_t from) const {
    int depth = 0;
    for (size_t i = index; i < m_tokens.size(); ++i) {
        depth += bracketStep(m_tokens[i]);
        if (depth <= 0) return npos;
        if (depth == 1 && i >= from && m_tokens[i].is(symbol)) return i;
    }
    return npos;
}

} // namespace loopscope
