#include "networks/graph/net_cursor.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr size_t kMaxExpanded = size_t{8} << 20; // characters
constexpr size_t kDeepestExpansion = 48;

std::string describe(const NetToken &token) {
    if (token.kind == NetTokenKind::End) return "the end of the file";
    constexpr size_t shown = 40;
    if (token.text.size() > shown) return "`" + std::string(token.text.substr(0, shown)) + "...`";
    return "`" + std::string(token.text) + "`";
}

} // namespace

NetToken NetCursor::peekSecond() {
    const size_t here = m_token.offset + m_token.text.size();
    m_lexer.moveTo(here);
    const NetToken second = m_lexer.next();
    m_lexer.moveTo(here);
    return second;
}

NetToken NetCursor::next() {
    const NetToken token = m_token;
    if (expanding()) charge(token.text.size() + 1);
    m_token = m_lexer.next();
    return token;
}

bool NetCursor::accept(std::string_view symbol) {
    if (!m_token.is(symbol)) return false;
    next();
    return true;
}

bool NetCursor::acceptName(std::string_view word) {
    if (!m_token.isName(word)) return false;
    next();
    return true;
}

void NetCursor::expect(std::string_view symbol, std::string_view context) {
    if (!accept(symbol)) throw unexpected(fmt::format("`{}` {}", symbol, context));
}

std::string NetCursor::takeName(std::string_view what) {
    const NetToken token = m_token;
    if (token.kind == NetTokenKind::Name && isNetWord(token.text))
        throw error(token, fmt::format("`{}` is a word of the language; as {} it stands in quotes", token.text, what));
    if (token.kind != NetTokenKind::Name && token.kind != NetTokenKind::Text) throw unexpected(std::string(what));
    next();
    std::string name = token.kind == NetTokenKind::Text ? netUnquoted(token.text) : std::string(token.text);
    if (name.empty()) throw error(token, fmt::format("{} has no characters", what));
    return name;
}

void NetCursor::skipBraces(const NetToken &opening) {
    for (size_t open = 1; open > 0; next()) {
        if (m_token.kind == NetTokenKind::End) throw error(opening, "this `{` is never closed");
        if (m_token.is("{")) ++open;
        if (m_token.is("}")) --open;
    }
}

void NetCursor::moveTo(size_t offset) {
    m_lexer.moveTo(offset);
    m_token = m_lexer.next();
}

void NetCursor::enterExpansion(const NetToken &call) {
    m_calls.push_back(call);
    if (m_calls.size() > kDeepestExpansion)
        throw error(call,
                    fmt::format("macros and repetitions stand in one another more than {} deep", kDeepestExpansion));
}

void NetCursor::charge(size_t characters) {
    m_charged += characters;
    if (m_charged > kMaxExpanded && expanding())
        throw m_source.error(m_calls.front().offset, "macros and repetitions come to more than 8 MiB of text",
                             m_calls.front().text.size());
}

Error NetCursor::error(const NetToken &token, const std::string &sentence) const {
    const size_t width = token.text.empty() ? 1 : token.text.size();
    if (m_calls.empty() || m_calls.back().offset == token.offset) return m_source.error(token.offset, sentence, width);
    return m_source.error(token.offset,
                          fmt::format("{} (expanded from line {})", sentence, lineOf(m_calls.back().offset)), width);
}

Error NetCursor::unexpected(const std::string &expected) const {
    return error(m_token, fmt::format("expected {}, found {}", expected, describe(m_token)));
}

} // namespace loopscope
