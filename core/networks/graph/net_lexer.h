#pragma once
// `.net` text to tokens, one after the other: a network may have a million statements, and macros are read again at
// each call, so nothing is kept.

#include "base/source_text.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace loopscope {

enum class NetTokenKind : uint8_t {
    Name,    // letters, digits, `_`, and dots inside
    Text,    // "quoted", with its quotes; netUnquoted gives what it says
    Integer, // fits int64
    Number,  // with a point or an exponent
    Bits,    // 0x and hexadecimal digits
    Symbol,
    End,
};

struct NetToken {
    NetTokenKind kind = NetTokenKind::End;
    std::string_view text; // as it is written
    size_t offset = 0;

    [[nodiscard]] bool is(std::string_view symbol) const { return kind == NetTokenKind::Symbol && text == symbol; }
    [[nodiscard]] bool isName(std::string_view name) const { return kind == NetTokenKind::Name && text == name; }
};

class NetLexer {
  public:
    explicit NetLexer(const SourceText &source) : m_source(source), m_text(source.text) {}
    /// Throws Error for what is none of the language.
    NetToken next();
    /// Where the next token is looked for.
    void moveTo(size_t offset) { m_at = offset; }

  private:
    void skipBlank();
    [[nodiscard]] size_t textEnd() const;
    [[nodiscard]] size_t numberEnd(NetTokenKind &kind) const;
    [[nodiscard]] size_t symbolEnd() const;

    const SourceText &m_source;
    std::string_view m_text;
    size_t m_at = 0;
};

/// What a Text token says; `\{` keeps its backslash when `braces` is set, since somebody has yet to tell it from `{`.
std::string netUnquoted(std::string_view text, bool braces = false);
/// In quotes, so that the lexer gives it back.
std::string netQuoted(std::string_view text);
/// Whether it is one of the words that mean something to the language.
bool isNetWord(std::string_view name);
/// As a name stands in the text: quoted where it is none of the language.
std::string netName(std::string_view name);

} // namespace loopscope
