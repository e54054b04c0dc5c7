#include "records/record/extra_members.h"

#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

bool isJsonBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

size_t behindBlanks(std::string_view line, size_t at) {
    while (at < line.size() && isJsonBlank(line[at])) ++at;
    return at;
}

/// Of the value or name that begins there; what stands around it is valid.
size_t endOfValue(std::string_view line, size_t at) {
    int depth = 0;
    for (bool quoted = false; at < line.size(); ++at) {
        const char c = line[at];
        if (quoted) {
            if (c == '\\') ++at;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            ++depth;
        } else if (depth == 0 && (c == ',' || c == ':' || c == '}' || c == ']')) {
            break;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    while (at > 0 && isJsonBlank(line[at - 1])) --at;
    return at;
}

/// Calls onMember(name, text, value) for every member of the object; `text` is name and value.
template <typename OnMember> void eachMember(std::string_view line, OnMember &&onMember) {
    size_t at = line.find('{') + 1;
    while (true) {
        const size_t begin = behindBlanks(line, at);
        if (begin >= line.size() || line[begin] != '"') return;
        const size_t nameEnd = endOfValue(line, begin);
        const auto name = nlohmann::json::parse(line.substr(begin, nameEnd - begin)).get<std::string>();
        const size_t value = behindBlanks(line, behindBlanks(line, nameEnd) + 1);
        const size_t end = endOfValue(line, value);
        onMember(name, line.substr(begin, end - begin), line.substr(value, end - value));
        at = behindBlanks(line, end) + 1; // behind the comma
    }
}

std::vector<std::string_view> elementsOf(std::string_view array) {
    std::vector<std::string_view> elements;
    for (size_t at = 1;;) {
        const size_t begin = behindBlanks(array, at);
        const size_t end = endOfValue(array, begin);
        if (end <= begin) return elements;
        elements.push_back(array.substr(begin, end - begin));
        at = behindBlanks(array, end) + 1;
    }
}

} // namespace

std::vector<ExtraMember> extraMembers(std::string_view line) {
    std::vector<ExtraMember> extra;
    size_t place = 0;
    eachMember(line, [&](const std::string &name, std::string_view text, std::string_view) {
        if (name != "i" && name != "r" && name != "v") extra.push_back({std::string(text), place});
        ++place;
    });
    return extra;
}

std::vector<std::string> extraElements(std::string_view line, char member, std::optional<size_t> inside, size_t known) {
    std::string_view array;
    eachMember(line, [&](const std::string &name, std::string_view, std::string_view value) {
        if (name == std::string_view(&member, 1)) array = value; // of two the second holds
    });
    std::vector<std::string_view> elements = elementsOf(array);
    if (inside) elements = elementsOf(elements.at(*inside));
    std::vector<std::string> extra;
    for (size_t i = known; i < elements.size(); ++i) extra.emplace_back(elements[i]);
    return extra;
}

} // namespace loopscope
