#include "base/source_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

namespace loopscope {

namespace {

bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// One character of UTF-8 text.
struct Character {
    uint32_t code = 0;
    size_t bytes = 1;
};

Character characterAt(std::string_view text, size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const size_t length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (length == 1 || at + length > text.size()) return {byte, 1};
    uint32_t code = byte & (0xFFU >> (length + 1));
    for (size_t k = 1; k < length; ++k) {
        const auto next = static_cast<unsigned char>(text[at + k]);
        if ((next & 0xC0) != 0x80) return {byte, 1};
        code = code << 6 | (next & 0x3FU);
    }
    return {code, length};
}

/// Unicode's spaces other than the plain one, formatting and filling characters.
bool isInvisible(uint32_t code) {
    static constexpr std::array<std::pair<uint32_t, uint32_t>, 19> ranges = {{{0x80, 0xA0},
                                                                              {0xAD, 0xAD},
                                                                              {0x34F, 0x34F},
                                                                              {0x61C, 0x61C},
                                                                              {0x115F, 0x1160},
                                                                              {0x1680, 0x1680},
                                                                              {0x17B4, 0x17B5},
                                                                              {0x180B, 0x180F},
                                                                              {0x2000, 0x200F},
                                                                              {0x2028, 0x202F},
                                                                              {0x205F, 0x206F},
                                                                              {0x2800, 0x2800},
                                                                              {0x3000, 0x3000},
                                                                              {0x3164, 0x3164},
                                                                              {0xFE00, 0xFE0F},
                                                                              {0xFEFF, 0xFEFF},
                                                                              {0xFFA0, 0xFFA0},
                                                                              {0xFFF0, 0xFFFB},
                                                                              {0xE0000, 0xE0FFF}}};
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const auto &range) { return code >= range.first && code <= range.second; });
}

/// As it is shown: itself, or its name where nobody would see it.
std::string shownCharacter(std::string_view text, size_t at, Character character) {
    if (character.bytes == 1 || !isInvisible(character.code)) return std::string(text.substr(at, character.bytes));
    char name[16];
    std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(character.code));
    return name;
}

} // namespace

SourceText::Place SourceText::placeOf(size_t offset) const {
    Place place;
    offset = std::min(offset, text.size());
    for (size_t i = 0; i < offset; ++i) {
        if (text[i] == '\n') {
            ++place.line;
            place.column = 1;
        } else if (startsCharacter(text[i])) {
            ++place.column;
        }
    }
    return place;
}

Error SourceText::error(size_t offset, const std::string &sentence, size_t width) const {
    // A place at the end of the file is shown behind the last written line instead of on an empty one.
    offset = std::min(offset, text.size());
    if (offset == text.size())
        while (offset > 0 && std::isspace(static_cast<unsigned char>(text[offset - 1]))) --offset;
    const Place place = placeOf(offset);
    size_t begin = offset;
    while (begin > 0 && text[begin - 1] != '\n') --begin;
    size_t end = offset;
    while (end < text.size() && text[end] != '\n' && text[end] != '\r') ++end;

    // Long lines are cut around the place, at character boundaries.
    constexpr size_t reach = 80;
    size_t first = offset - begin > reach ? offset - reach : begin;
    while (first < offset && !startsCharacter(text[first])) ++first;
    size_t last = end - offset > reach ? offset + reach : end;
    while (last < end && !startsCharacter(text[last])) ++last;

    std::string shown;
    std::string carets;
    if (first > begin) {
        shown += "...";
        carets += "   ";
    }
    size_t under = 0;
    for (size_t i = first; i < last;) {
        const Character character = characterAt(text, i);
        const bool control = character.bytes == 1 && character.code < 0x20;
        const std::string piece = control ? " " : shownCharacter(text, i, character);
        const size_t columns = piece.size() > character.bytes || isInvisible(character.code) ? piece.size() : 1;
        if (i < offset)
            carets.append(columns, ' ');
        else if (i < offset + width)
            under += columns;
        shown += piece;
        i += character.bytes;
    }
    if (last < end) shown += "...";
    return Error(path, place.line, place.column, visibleText(sentence),
                 shown + "\n" + carets + std::string(std::max<size_t>(1, under), '^'));
}

std::string visibleText(std::string_view text) {
    std::string visible;
    for (size_t i = 0; i < text.size();) {
        const Character character = characterAt(text, i);
        visible += shownCharacter(text, i, character);
        i += character.bytes;
    }
    return visible;
}

std::string quotedList(const std::vector<std::string> &names) {
    std::string text;
    for (size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
        text += "`" + names[i] + "`";
    }
    return text;
}

} // namespace loopscope
