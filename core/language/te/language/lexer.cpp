#include "language/te/language/lexer.h"

#include "language/expr/expr.h"

#include <array>
#include <charconv>
#include <cmath>

namespace loopscope {

namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNamePart(char c) { return isLetter(c) || isDigit(c); }

/// End of the name that starts at `at` (a dot belongs to it when a name goes on behind it); `at` when none starts
/// there.
size_t nameEnd(std::string_view text, size_t at) {
    if (at >= text.size() || !isLetter(text[at])) return at;
    while (at < text.size()) {
        if (isNamePart(text[at])) {
            ++at;
        } else if (text[at] == '.' && at + 1 < text.size() && isNamePart(text[at + 1])) {
            at += 2;
        } else {
            break;
        }
    }
    return at;
}

class Lexer {
  public:
    explicit Lexer(const SourceText &source) : m_source(source), m_text(source.text) {}

    std::vector<Token> run() {
        std::vector<Token> tokens;
        while (true) {
            skipBlank();
            Token token;
            token.offset = m_at;
            token.firstOfLine = m_newLine;
            m_newLine = false;
            if (m_at >= m_text.size()) {
                tokens.push_back(std::move(token));
                return tokens;
            }
            read(token);
            token.length = m_at - token.offset;
            tokens.push_back(std::move(token));
        }
    }

  private:
    void skipBlank() {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\n') {
                m_newLine = true;
            } else if (c == '#') {
                while (m_at < m_text.size() && m_text[m_at] != '\n') ++m_at;
                continue;
            } else if (c != ' ' && c != '\t' && c != '\r') {
                return;
            }
            ++m_at;
        }
    }

    void read(Token &token) {
        const char c = m_text[m_at];
        if (isLetter(c)) {
            const size_t end = nameEnd(m_text, m_at);
            token.kind = TokenKind::Name;
            token.text = m_text.substr(m_at, end - m_at);
            m_at = end;
        } else if (isDigit(c) || (c == '.' && m_at + 1 < m_text.size() && isDigit(m_text[m_at + 1]))) {
            readNumber(token);
        } else if (c == '"') {
            readText(token);
        } else {
            readSymbol(token);
        }
    }

    void readNumber(Token &token) {
        size_t end = m_at;
        bool floating = false;
        const auto digits = [&] {
            while (end < m_text.size() && isDigit(m_text[end])) ++end;
        };
        digits();
        if (end < m_text.size() && m_text[end] == '.') {
            floating = true;
            ++end;
            digits();
        }
        if (end < m_text.size() && (m_text[end] == 'e' || m_text[end] == 'E')) {
            size_t after = end + 1;
            if (after < m_text.size() && (m_text[after] == '+' || m_text[after] == '-')) ++after;
            if (after < m_text.size() && isDigit(m_text[after])) {
                floating = true;
                end = after;
                digits();
            }
        }
        const std::string_view digitsText = m_text.substr(m_at, end - m_at);
        if (end < m_text.size() && isLetter(m_text[end])) {
            size_t last = end;
            while (last < m_text.size() && isNamePart(m_text[last])) ++last;
            throw m_source.error(m_at,
                                 "`" + std::string(m_text.substr(m_at, last - m_at)) +
                                     "` is neither a number nor a name; a constant takes the type of what it is "
                                     "combined with, or is cast as in float32(" +
                                     std::string(digitsText) + ")",
                                 last - m_at);
        }
        token.text = digitsText;
        const char *begin = digitsText.data();
        if (floating) {
            token.kind = TokenKind::Number;
            const auto result = std::from_chars(begin, begin + digitsText.size(), token.number);
            if (result.ec != std::errc() || !std::isfinite(token.number))
                throw m_source.error(m_at, "the number " + std::string(digitsText) + " does not fit a float64",
                                     digitsText.size());
        } else {
            token.kind = TokenKind::Integer;
            const auto result = std::from_chars(begin, begin + digitsText.size(), token.integer);
            if (result.ec != std::errc())
                throw m_source.error(m_at,
                                     "the integer " + std::string(digitsText) +
                                         " does not fit 64 bits: 9223372036854775807 is the largest",
                                     digitsText.size());
        }
        m_at = end;
    }

    void readText(Token &token) {
        token.kind = TokenKind::Text;
        const size_t begin = m_at++;
        while (true) {
            if (m_at >= m_text.size() || m_text[m_at] == '\n')
                throw m_source.error(begin, "this quoted name has no closing quote on its line");
            char c = m_text[m_at++];
            if (c == '"') return;
            if (static_cast<unsigned char>(c) < 0x20)
                throw m_source.error(m_at - 1, "a quoted name holds no control characters; write \\t or \\n");
            if (c == '\\') {
                const char escape = m_at < m_text.size() ? m_text[m_at] : '\n';
                switch (escape) {
                case '"':
                case '\\':
                    c = escape;
                    break;
                case 'n':
                    c = '\n';
                    break;
                case 't':
                    c = '\t';
                    break;
                default:
                    throw m_source.error(m_at - 1, R"(inside quotes a backslash goes before ", \, n or t only)");
                }
                ++m_at;
            }
            token.text += c;
        }
    }

    void readSymbol(Token &token) {
        static constexpr std::array<std::string_view, 28> symbols = {
            "->", "//", "==", "!=", "<=", ">=", "&&", "||", "(", ")", "[", "]", ",", ";",
            "=",  "<",  ">",  "+",  "-",  "*",  "/",  "%",  "!", "@", ":", "{", "}", "?"};
        for (const std::string_view symbol : symbols) {
            if (m_text.substr(m_at, symbol.size()) != symbol) continue;
            token.kind = TokenKind::Symbol;
            token.text = symbol;
            m_at += symbol.size();
            return;
        }
        const auto byte = static_cast<unsigned char>(m_text[m_at]);
        size_t end = m_at + 1;
        while (end < m_text.size() && (static_cast<unsigned char>(m_text[end]) & 0xC0) == 0x80) ++end;
        static constexpr char hex[] = "0123456789abcdef";
        const std::string shown = byte < 0x20 || byte == 0x7F || (byte >= 0x80 && byte < 0xC0)
                                      ? std::string("\\x") + hex[byte >> 4] + hex[byte & 15]
                                      : std::string(m_text.substr(m_at, end - m_at));
        throw m_source.error(m_at, "the character `" + shown + "` means nothing outside a comment or a quoted name");
    }

    const SourceText &m_source;
    std::string_view m_text;
    size_t m_at = 0;
    bool m_newLine = true;
};

} // namespace

std::vector<Token> tokenize(const SourceText &source) { return Lexer(source).run(); }

bool isPlainName(std::string_view text) { return !text.empty() && nameEnd(text, 0) == text.size(); }

std::string quoted(std::string_view text) {
    std::string out;
    appendQuoted(out, text);
    return out;
}

} // namespace loopscope
