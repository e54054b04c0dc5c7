#pragma once
// `.te` text to tokens. Line breaks separate nothing; they are only remembered, for the rules that need them.

#include "base/source_text.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class TokenKind : uint8_t {
    Name,    // letters, digits, `_`, and dots inside: C.local, i.c
    Text,    // "quoted", escapes \" \\ \n \t
    Integer, // fits int64
    Number,  // with a point or an exponent
    Symbol,  // text holds it: ( ) [ ] , ; = == -> ...
    End,
};

struct Token {
    TokenKind kind = TokenKind::End;
    std::string text; // of Text: unescaped
    size_t offset = 0;
    size_t length = 0;
    int64_t integer = 0;
    double number = 0;
    bool firstOfLine = false;

    [[nodiscard]] bool is(std::string_view symbol) const { return kind == TokenKind::Symbol && text == symbol; }
    [[nodiscard]] bool isName(std::string_view name) const { return kind == TokenKind::Name && text == name; }
};

/// Always ends with an End token. Throws Error for a character or number that is none of the language.
std::vector<Token> tokenize(const SourceText &source);

/// Whether the text is one Name token.
bool isPlainName(std::string_view text);
/// The text in quotes, escaped so that tokenize gives it back.
std::string quoted(std::string_view text);

} // namespace loopscope
