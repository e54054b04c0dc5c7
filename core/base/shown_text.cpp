#include "base/shown_text.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>

namespace loopscope {

namespace {

constexpr size_t kLongestLine = 700; // bytes
constexpr size_t kKeptInFront = 400;
constexpr size_t kKeptBehind = 200;

uint8_t byteAt(std::string_view text, size_t at) { return static_cast<uint8_t>(text[at]); }

struct Utf8Character {
    uint32_t code = 0;
    size_t bytes = 1;
    bool valid = true;
};

/// What begins there; of bytes that are no UTF-8 each is a character.
Utf8Character utf8CharacterAt(std::string_view text, size_t at) {
    const uint32_t first = byteAt(text, at);
    if (first < 0x80) return {first, 1, true};
    const size_t bytes = first >= 0xF0 && first < 0xF5   ? 4
                         : first >= 0xE0 && first < 0xF0 ? 3
                         : first >= 0xC2 && first < 0xE0 ? 2
                                                         : 0;
    if (bytes == 0 || at + bytes > text.size()) return {first, 1, false};
    uint32_t code = first & (0xFFU >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) {
        if ((byteAt(text, at + i) & 0xC0) != 0x80) return {first, 1, false};
        code = code << 6 | (byteAt(text, at + i) & 0x3F);
    }
    constexpr uint32_t leastOf[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool valid = code >= leastOf[bytes] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    return valid ? Utf8Character{code, bytes, true} : Utf8Character{first, 1, false};
}

bool isShown(const Utf8Character &c) {
    if (!c.valid) return false;
    if (c.code < 0x20) return c.code == '\n' || c.code == '\t';
    const bool control = c.code >= 0x7F && c.code < 0xA0;
    const bool turnsText = c.code == 0x200E || c.code == 0x200F || c.code == 0x061C ||
                           (c.code >= 0x202A && c.code <= 0x202E) || (c.code >= 0x2066 && c.code <= 0x2069);
    const bool breaksLine = c.code == 0x2028 || c.code == 0x2029;
    return !control && !turnsText && !breaksLine;
}

/// No character is cut in two.
size_t utf8Start(std::string_view text, size_t at) {
    while (at > 0 && at < text.size() && (byteAt(text, at) & 0xC0) == 0x80) --at;
    return at;
}

} // namespace

std::string shownText(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        const Utf8Character c = utf8CharacterAt(text, at);
        if (isShown(c))
            shown += text.substr(at, c.bytes);
        else
            fmt::format_to(std::back_inserter(shown), "\\u{:04x}", c.code);
        at += c.bytes;
    }
    return shown;
}

std::string shownSentence(std::string_view sentence) {
    const std::string shown = shownText(sentence);
    std::string kept;
    for (size_t at = 0; at < shown.size();) {
        const size_t end = std::min(shown.find('\n', at), shown.size() - 1) + 1;
        const std::string_view line = std::string_view(shown).substr(at, end - at);
        if (line.size() <= kLongestLine) {
            kept += line;
        } else {
            const size_t front = utf8Start(line, kKeptInFront);
            const size_t behind = utf8Start(line, line.size() - kKeptBehind);
            kept += fmt::format("{} [... {} bytes ...] {}", line.substr(0, front), behind - front, line.substr(behind));
        }
        at = end;
    }
    return kept;
}

} // namespace loopscope
