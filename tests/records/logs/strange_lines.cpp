#include "strange_lines.h"

#include "base/random.h"
#include "record_mutations.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace loopscope {

namespace {

const char *anyOf(const char *const *begin, size_t count, Random &random) { return begin[random.index(count)]; }

/// Mostly what JSON has.
std::string anyText(Random &random) {
    static const char *const inside[] = {"",
                                         "a note",
                                         "\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80",
                                         "\\n\\t\\\"\\\\\\/",
                                         "\\u00e9",
                                         "\\ud83d\\ude00",
                                         "{[,:]}",
                                         "i",
                                         "\x7F",
                                         "\\ud800",
                                         "\\u12",
                                         "\\x",
                                         "\x80",
                                         "\xC0\x80",
                                         "\xED\xA0\x80",
                                         "\xF5\x80\x80\x80",
                                         "\xE2\x82",
                                         "\t"};
    return '"' + std::string(anyOf(inside, random.below(3) != 0 ? 9 : std::size(inside), random)) + '"';
}

std::string anyValue(Random &random, int depth = 0) {
    static const char *const plain[] = {
        "0",     "-0",   "7",    "-1.5", "1e5",  "1E-7",    "0.25",   "true",
        "false", "null", "[]",   "{}",   "[ ]",  "1e99",    "1e-400", "12345678901234567890123",
        "1e400", "01",   "1.",   ".5",   "+1",   "1e",      "nan",    "-",
        "tru",   "",     "0x10", "'a'",  "[1,]", "{\"a\"}", "{1: 2}", "1e+308"};
    const uint64_t kind = random.below(8);
    if (kind < 3) return anyText(random);
    if (kind < 6 || depth > 3) return anyOf(plain, random.below(4) != 0 ? 15 : std::size(plain), random);
    if (random.below(12) == 0) {
        static constexpr size_t depths[] = {10, 16, 17, 28, 31, 33, 5000};
        const size_t levels = depths[random.below(std::size(depths))];
        return std::string(levels, '[') + std::string(levels, ']');
    }
    std::string text = kind == 6 ? "[" : "{";
    for (uint64_t i = random.below(4); i > 0; --i) {
        if (text.size() > 1) text += random.below(2) != 0 ? ", " : ",";
        if (kind == 7) text += anyText(random) + (random.below(2) != 0 ? ": " : ":");
        text += anyValue(random, depth + 1);
    }
    return text + (kind == 6 ? "]" : "}");
}

std::string anyMember(Random &random) {
    static const char *const names[] = {"\"x\"", "\"note\"", "\"ii\"", "\"\"", "\"\\u0069\"",  "\"V\"",   "\"r \"",
                                        "\"i\"", "\"r\"",    "\"v\"",  "i",    "\"\xC3\xA4\"", "\"\xFF\""};
    return std::string(anyOf(names, std::size(names), random)) + (random.below(4) != 0 ? ": " : ":") + anyValue(random);
}

/// Where the parts of the object begin and end, its braces excluded; commas between them belong to none.
std::vector<std::string> membersOf(std::string_view line) {
    std::vector<std::string> members;
    int depth = 0;
    bool quoted = false;
    size_t begin = 1;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted) {
            if (c == '\\') ++i;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            ++depth;
        } else if (c == ']' || c == '}') {
            --depth;
        }
        const bool last = i + 1 >= line.size();
        if (!quoted && ((c == ',' && depth == 1) || (last && begin < line.size()))) {
            members.emplace_back(line.substr(begin, std::min(i, line.size()) - begin));
            begin = i + 1;
        }
    }
    return members;
}

void changeMembers(std::string &line, Random &random) {
    if (line.size() < 3 || line.front() != '{') return;
    std::vector<std::string> members = membersOf(line);
    if (members.empty()) return;
    switch (random.below(4)) {
    case 0:
        for (size_t i = members.size(); i > 1; --i) std::swap(members[i - 1], members[random.index(i)]);
        break;
    case 1:
        members.push_back(members[random.index(members.size())]);
        break;
    default:
        for (uint64_t i = 1 + random.below(3); i > 0; --i)
            members.insert(members.begin() + static_cast<std::ptrdiff_t>(random.index(members.size() + 1)),
                           anyMember(random));
    }
    line = "{";
    for (const std::string &member : members) {
        if (line.size() > 1) line += ',';
        if (!member.starts_with(' ') && random.below(3) != 0 && line.size() > 1) line += ' ';
        line += member;
    }
    line += '}';
}

/// More elements at the end of some array.
void lengthenArrays(std::string &line, Random &random) {
    std::vector<size_t> ends;
    for (size_t i = 0; i < line.size(); ++i)
        if (line[i] == ']') ends.push_back(i);
    if (ends.empty()) return;
    // That of the result and of the task are far from the middle of a line.
    const size_t at = random.below(2) == 0 ? ends.back() : ends[random.index(ends.size())];
    line.insert(at, ", " + anyValue(random));
}

void respace(std::string &line, Random &random) {
    static const char *const blanks[] = {"", " ", "  ", "\t", "\r", " \t"};
    const char *const blank = anyOf(blanks, random.below(3) != 0 ? 3 : std::size(blanks), random);
    std::string spaced;
    bool quoted = false;
    const bool everywhere = random.below(2) == 0;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '\\' && quoted && i + 1 < line.size()) {
            spaced += c;
            spaced += line[++i];
            continue;
        }
        if (c == '"') quoted = !quoted;
        if (quoted || (c != ' ' && std::string_view(",:[]{}").find(c) == std::string_view::npos)) {
            spaced += c;
            continue;
        }
        if (c != ' ') spaced += c;
        if (everywhere || (c != ' ' && random.below(8) == 0)) spaced += blank;
        if (!everywhere && c == ' ') spaced += c;
    }
    line = std::move(spaced);
}

void renameStep(std::string &line, Random &random) {
    static const char *const tags[] = {"\"XX\"",   "\"sp\"",  "\"\"",    "\"SPLIT\"",    "\"CHR\"",
                                       "\"FFSP\"", "\"SP \"", "\" CI\"", "\"S\\u0050\"", "7"};
    std::vector<size_t> steps;
    for (size_t at = line.find("[\""); at != std::string::npos; at = line.find("[\"", at + 1)) steps.push_back(at + 1);
    if (steps.empty()) return;
    const size_t at = steps[random.index(steps.size())];
    const size_t end = line.find('"', at + 1);
    if (end != std::string::npos) line.replace(at, end + 1 - at, anyOf(tags, std::size(tags), random));
}

void putAround(std::string &line, Random &random) {
    using namespace std::string_view_literals;
    static constexpr std::string_view before[] = {"\xEF\xBB\xBF", "\0"sv, "\t", "#", " ", "{}", "\xEF", "["};
    static constexpr std::string_view behind[] = {"\r", "\r\r", "\0"sv, " ", "\t", "x", "{}", ",", "\x1A"};
    if (random.below(2) == 0)
        line.insert(0, before[random.below(std::size(before))]);
    else
        line += behind[random.below(std::size(behind))];
}

void corruptText(std::string &line, Random &random) {
    const size_t quote = line.find('"', line.empty() ? 0 : random.index(line.size()));
    if (quote == std::string::npos) return;
    const std::string text = anyText(random);
    line.insert(quote + 1, text.substr(1, text.size() - 2));
}

} // namespace

std::string strangeLine(const std::vector<std::string> &lines, uint64_t seed, uint64_t number) {
    constexpr uint64_t others = 0x9E3779B97F4A7C15; // streams than those of mutatedLine
    Random random(seed ^ others, number);
    std::string line = random.below(4) == 0 ? mutatedLine(lines, seed, number) : lines[random.index(lines.size())];
    for (uint64_t i = 1 + random.below(3); i > 0; --i) {
        switch (random.below(12)) {
        case 0:
            renameStep(line, random);
            break;
        case 1:
            putAround(line, random);
            break;
        case 2:
            corruptText(line, random);
            break;
        case 3:
        case 4:
            respace(line, random);
            break;
        case 5:
        case 6:
            lengthenArrays(line, random);
            break;
        default:
            changeMembers(line, random);
        }
    }
    return line;
}

} // namespace loopscope
