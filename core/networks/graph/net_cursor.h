#pragma once
// Reading position in `.net` text, with errors at the right place. Knows how much text macros and repetitions have read
// again, and stops them before a small file becomes a network that no memory holds.

#include "base/outcome.h"
#include "networks/graph/net_lexer.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

class NetCursor {
  public:
    explicit NetCursor(const SourceText &source) : m_source(source), m_lexer(source), m_token(m_lexer.next()) {}

    [[nodiscard]] const NetToken &peek() const { return m_token; }
    [[nodiscard]] NetToken peekSecond();
    NetToken next();
    bool accept(std::string_view symbol);
    bool acceptName(std::string_view word);
    /// `context` completes "expected `)` ...".
    void expect(std::string_view symbol, std::string_view context);
    /// A name, plain or in quotes; the language's own words are refused plain.
    std::string takeName(std::string_view what);
    /// From an opening brace that was just read: past the one that closes it.
    void skipBraces(const NetToken &opening);

    [[nodiscard]] size_t at() const { return m_token.offset; }
    void moveTo(size_t offset);

    /// Between the two, what is read was read before and is charged.
    void enterExpansion(const NetToken &call);
    void leaveExpansion() { m_calls.pop_back(); }
    [[nodiscard]] bool expanding() const { return !m_calls.empty(); }
    /// Of an expansion: what it adds to the network.
    void charge(size_t characters);

    [[nodiscard]] const SourceText &source() const { return m_source; }
    [[nodiscard]] int lineOf(size_t offset) const { return m_source.placeOf(offset).line; }
    [[nodiscard]] Error error(const NetToken &token, const std::string &sentence) const;
    /// "expected X, found Y" at the current token.
    [[nodiscard]] Error unexpected(const std::string &expected) const;

  private:
    const SourceText &m_source;
    NetLexer m_lexer;
    NetToken m_token;
    std::vector<NetToken> m_calls;
    size_t m_charged = 0;
};

} // namespace loopscope
