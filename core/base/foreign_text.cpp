#include "base/foreign_text.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

namespace loopscope {

namespace {

/// Bytes of the UTF-8 character that begins there; 0: it is none. `code` becomes what it stands for.
size_t characterAt(std::string_view text, size_t at, uint32_t &code) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const unsigned char first = byte(0);
    const size_t bytes = first < 0x80   ? 1
                         : first < 0xc2 ? 0
                         : first < 0xe0 ? 2
                         : first < 0xf0 ? 3
                         : first < 0xf5 ? 4
                                        : 0;
    if (bytes == 0 || at + bytes > text.size()) return 0;
    code = bytes == 1 ? first : first & (0x7fU >> bytes);
    for (size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3fU);
    }
    const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
    return overlong || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? 0 : bytes;
}

/// Ends a line somewhere, or lets text that follows look as if it stood elsewhere.
bool controls(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0x200e ||
           code == 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

/// Whole characters of UTF-8 with something to see; what is none becomes a question mark, what controls a blank.
std::string printable(std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        uint32_t code = 0;
        const size_t bytes = characterAt(text, at, code);
        if (bytes == 0)
            result += '?';
        else if (controls(code))
            result += ' ';
        else
            result += text.substr(at, bytes);
        at += std::max<size_t>(bytes, 1);
    }
    return result;
}

/// `escape` writes what a literal cannot hold: the bytes of a character, or one that is none, and then no code.
template <typename Escape> std::string inQuotes(std::string_view text, Escape &&escape) {
    std::string quoted = "\"";
    for (size_t at = 0; at < text.size();) {
        uint32_t code = 0;
        const size_t bytes = characterAt(text, at, code);
        const std::string_view character = text.substr(at, std::max<size_t>(bytes, 1));
        if (code == '"' || code == '\\') quoted += '\\';
        quoted += bytes == 0 || controls(code) ? escape(character, bytes == 0 ? std::nullopt : std::optional(code))
                                               : std::string(character);
        at += character.size();
    }
    return quoted + '"';
}

} // namespace

std::string commentText(std::string_view text) {
    std::string result;
    for (char c : printable(text)) {
        if (c == '\\') c = '/'; // continues a line of C, and begins an escape of a docstring
        const char before = result.empty() ? '\0' : result.back();
        const bool meansMore = (before == '*' && c == '/') || (before == '/' && c == '*') || // comments of C
                               (before == '?' && c == '?') ||                                // ??/ is a backslash
                               (before == '"' && c == '"');                                  // three end a docstring
        if (meansMore) result += ' ';
        result += c;
    }
    // The same with what may stand behind it.
    return result.ends_with('"') || result.ends_with('/') ? result + ' ' : result;
}

std::string cString(std::string_view text) {
    // Three digits, which end an escape, and no two question marks, which may begin a trigraph.
    std::string quoted = inQuotes(text, [](std::string_view bytes, std::optional<uint32_t>) {
        std::string octal;
        for (const char c : bytes) octal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
        return octal;
    });
    for (size_t at = quoted.find("??"); at != std::string::npos; at = quoted.find("??", at))
        quoted.insert(at + 1, "\\");
    return quoted;
}

std::string cppRawString(std::string_view text) {
    std::string mark = "te";
    for (int n = 1; text.find(")" + mark + "\"") != std::string_view::npos; ++n) mark = fmt::format("te{}", n);
    return fmt::format("R\"{0}({1}){0}\"", mark, text);
}

std::string pythonString(std::string_view text) {
    return inQuotes(text, [](std::string_view bytes, std::optional<uint32_t> code) {
        const uint32_t value = code ? *code : static_cast<unsigned char>(bytes[0]);
        return value < 0x100 ? fmt::format("\\x{:02x}", value) : fmt::format("\\u{:04x}", value);
    });
}

std::string dotString(std::string_view text) {
    return inQuotes(text, [](std::string_view, std::optional<uint32_t>) { return std::string(" "); });
}

std::string htmlText(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '&':
            out += "&amp;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string makeWord(std::string_view text) {
    std::string word = "'";
    for (const char c : printable(text)) {
        if (c == '\'')
            word += "'\\''";
        else if (c == '$')
            word += "$$";
        else
            word += c;
    }
    return word + '\'';
}

} // namespace loopscope
