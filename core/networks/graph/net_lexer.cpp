#include "networks/graph/net_lexer.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

bool isNetLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isNetDigit(char c) { return c >= '0' && c <= '9'; }
bool isNetPart(char c) { return isNetLetter(c) || isNetDigit(c); }
int hexDigit(char c) {
    if (isNetDigit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

size_t netNameEnd(std::string_view text, size_t at) {
    if (at >= text.size() || !isNetLetter(text[at])) return at;
    while (at < text.size()) {
        if (isNetPart(text[at]))
            ++at;
        else if (text[at] == '.' && at + 1 < text.size() && isNetPart(text[at + 1]))
            at += 2;
        else
            break;
    }
    return at;
}

constexpr size_t kLongestName = 1000; // unquoted

} // namespace

void NetLexer::skipBlank() {
    while (m_at < m_text.size()) {
        const char c = m_text[m_at];
        if (c == '#')
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        else if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            ++m_at;
        else
            return;
    }
}

NetToken NetLexer::next() {
    skipBlank();
    NetToken token;
    token.offset = m_at;
    if (m_at >= m_text.size()) {
        token.offset = m_text.size();
        return token;
    }
    size_t end = m_at;
    const char c = m_text[m_at];
    if (isNetLetter(c)) {
        token.kind = NetTokenKind::Name;
        end = netNameEnd(m_text, m_at);
        if (end - m_at > kLongestName)
            throw m_source.error(m_at, "this name has more than 1000 characters; longer ones stand in quotes");
    } else if (isNetDigit(c)) {
        end = numberEnd(token.kind);
    } else if (c == '"') {
        token.kind = NetTokenKind::Text;
        end = textEnd();
    } else {
        token.kind = NetTokenKind::Symbol;
        end = symbolEnd();
    }
    token.text = m_text.substr(m_at, end - m_at);
    m_at = end;
    return token;
}

size_t NetLexer::numberEnd(NetTokenKind &kind) const {
    size_t end = m_at;
    const auto digits = [&] {
        while (end < m_text.size() && isNetDigit(m_text[end])) ++end;
    };
    kind = NetTokenKind::Integer;
    if (m_text.substr(m_at, 2) == "0x") {
        kind = NetTokenKind::Bits;
        end += 2;
        while (end < m_text.size() && hexDigit(m_text[end]) >= 0) ++end;
        if (end - m_at < 3 || end - m_at > 18)
            throw m_source.error(m_at, "behind 0x stand one to sixteen hexadecimal digits");
    } else {
        digits();
        if (end < m_text.size() && m_text[end] == '.') {
            kind = NetTokenKind::Number;
            ++end;
            digits();
        }
        if (end < m_text.size() && (m_text[end] == 'e' || m_text[end] == 'E')) {
            size_t after = end + 1;
            if (after < m_text.size() && (m_text[after] == '+' || m_text[after] == '-')) ++after;
            if (after < m_text.size() && isNetDigit(m_text[after])) {
                kind = NetTokenKind::Number;
                end = after;
                digits();
            }
        }
    }
    if (end < m_text.size() && isNetLetter(m_text[end]))
        throw m_source.error(m_at, "this is neither a number nor a name; a name begins with a letter", end - m_at + 1);
    return end;
}

size_t NetLexer::textEnd() const {
    for (size_t at = m_at + 1; at < m_text.size(); ++at) {
        const char c = m_text[at];
        if (c == '"') return at + 1;
        if (c == '\n') break;
        if (static_cast<unsigned char>(c) < 0x20)
            throw m_source.error(at, "a text holds no control characters; write \\n, \\t or \\x01");
        if (c != '\\') continue;
        const char escape = ++at < m_text.size() ? m_text[at] : '\n';
        const bool hex =
            escape == 'x' && at + 2 < m_text.size() && hexDigit(m_text[at + 1]) >= 0 && hexDigit(m_text[at + 2]) >= 0;
        if (!hex && std::string_view("\"\\nt{").find(escape) == std::string_view::npos)
            throw m_source.error(at - 1, R"(inside quotes a backslash goes before ", \, {, n, t, or x and two digits)");
    }
    throw m_source.error(m_at, "this text has no closing quote on its line");
}

size_t NetLexer::symbolEnd() const {
    static constexpr std::array<std::string_view, 15> symbols = {"//", "(", ")", "[", "]", "{", "}", ",",
                                                                 "=",  ":", "@", "<", "+", "-", "*"};
    for (const std::string_view symbol : symbols)
        if (m_text.substr(m_at, symbol.size()) == symbol) return m_at + symbol.size();
    size_t end = m_at + 1;
    while (end < m_text.size() && (static_cast<unsigned char>(m_text[end]) & 0xC0) == 0x80) ++end;
    const auto byte = static_cast<unsigned char>(m_text[m_at]);
    static constexpr char hex[] = "0123456789abcdef";
    const std::string shown = byte < 0x20 || byte == 0x7F || (byte >= 0x80 && byte < 0xC0)
                                  ? std::string("\\x") + hex[byte >> 4] + hex[byte & 15]
                                  : std::string(m_text.substr(m_at, end - m_at));
    throw m_source.error(m_at, "the character `" + shown + "` means nothing outside a comment or a text");
}

std::string netUnquoted(std::string_view text, bool braces) {
    std::string out;
    out.reserve(text.size());
    for (size_t at = 1; at + 1 < text.size(); ++at) {
        if (text[at] != '\\') {
            out += text[at];
            continue;
        }
        const char escape = text[++at];
        if (escape == 'x') {
            out += static_cast<char>(hexDigit(text[at + 1]) * 16 + hexDigit(text[at + 2]));
            at += 2;
        } else {
            if (braces && (escape == '{' || escape == '\\')) out += '\\';
            out += escape == 'n' ? '\n' : escape == 't' ? '\t' : escape;
        }
    }
    return out;
}

std::string netQuoted(std::string_view text) {
    static constexpr char hex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20 || byte == 0x7F) {
            out += "\\x";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            if (c == '"' || c == '\\' || c == '{') out += '\\';
            out += c;
        }
    }
    return out + '"';
}

bool isNetWord(std::string_view name) {
    static constexpr std::array<std::string_view, 27> words = {
        "_",    "bits",   "bytes",  "constant", "dataflow", "effect", "false", "file",    "floordiv",
        "from", "func",   "inf",    "ints",     "let",      "macro",  "nan",   "network", "numbers",
        "ramp", "random", "repeat", "return",   "tensor",   "texts",  "true",  "var",     "yield"};
    return std::find(words.begin(), words.end(), name) != words.end();
}

std::string netName(std::string_view name) {
    const bool plain = !name.empty() && name.size() <= kLongestName && netNameEnd(name, 0) == name.size();
    return plain && !isNetWord(name) ? std::string(name) : netQuoted(name);
}

} // namespace loopscope
