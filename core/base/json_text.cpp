#include "base/json_text.h"

#include "base/shown_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr size_t kQuotedBytes = 24;

/// The way from one value to another below it; false when it is not there. Recurses no deeper than documents are read.
bool findPlace(const nlohmann::json &from, const nlohmann::json *wanted, std::string &place) {
    if (&from == wanted) return true;
    const size_t before = place.size();
    if (from.is_array()) {
        for (size_t i = 0; i < from.size(); ++i) {
            place += fmt::format("[{}]", i);
            if (findPlace(from[i], wanted, place)) return true;
            place.resize(before);
        }
    } else if (from.is_object()) {
        for (const auto &[name, value] : from.items()) {
            place += (place.empty() ? "" : ".") + name;
            if (findPlace(value, wanted, place)) return true;
            place.resize(before);
        }
    }
    return false;
}

} // namespace

std::optional<std::string> jsonBeyondLimits(std::string_view text) {
    int depth = 0;
    size_t values = 1;
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else
                quoted = c != '"';
            continue;
        }
        switch (c) {
        case '"':
            quoted = true;
            break;
        case '[':
        case '{':
            if (++depth > kDeepestJson) return fmt::format("nests deeper than {} levels", kDeepestJson);
            ++values;
            break;
        case ']':
        case '}':
            --depth;
            break;
        case ',':
        case ':':
            ++values;
            break;
        default:
            break;
        }
    }
    if (values > kMaxJsonValues) return fmt::format("holds more than {} million values", kMaxJsonValues / 1000000);
    return std::nullopt;
}

Error jsonProblem(std::string_view text, size_t bytes, const std::string &path, const std::string &what,
                  int firstLine) {
    if (bytes == 0) return {path, firstLine > 1 ? firstLine : 0, 0, what + " holds a number that is out of range"};
    const size_t at = std::min(bytes - 1, text.size());
    const std::string_view before = text.substr(0, at);
    const size_t lineStart = before.rfind('\n') + 1; // 0 without any
    const int line = firstLine + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    const auto column = static_cast<int>(std::min<size_t>(at - lineStart + 1, std::numeric_limits<int>::max()));
    const std::string_view rest = text.substr(at, text.substr(at).find('\n'));
    std::string why = "it ends too early";
    if (!rest.empty())
        why = fmt::format("it goes on with `{}{}`", shownText(rest.substr(0, kQuotedBytes)),
                          rest.size() > kQuotedBytes ? "..." : "");
    else if (at < text.size())
        why = "the line ends too early";
    return {path, line, column, fmt::format("{} is not JSON: {}", what, why)};
}

JsonPart JsonPart::at(std::string_view member) const {
    const auto found = find(member);
    if (found) return *found;
    const std::string here = place();
    throw Error(fmt::format("\"{}\" is missing{}{}", member, here.empty() ? "" : " in ", here));
}

JsonPart JsonPart::at(size_t index) const {
    if (!m_here->is_array()) throw otherType("an array");
    if (index >= m_here->size())
        throw problem(fmt::format("has {} elements, and at least {} are expected", m_here->size(), index + 1));
    return {*m_document, (*m_here)[index]};
}

std::optional<JsonPart> JsonPart::find(std::string_view member) const {
    if (!m_here->is_object()) throw otherType("an object");
    const auto found = m_here->find(std::string(member));
    return found == m_here->end() ? std::nullopt : std::optional(JsonPart(*m_document, *found));
}

std::vector<JsonPart> JsonPart::items() const {
    if (!m_here->is_array()) throw otherType("an array");
    std::vector<JsonPart> items;
    items.reserve(m_here->size());
    for (const nlohmann::json &each : *m_here) items.push_back({*m_document, each});
    return items;
}

std::string JsonPart::place() const {
    std::string place;
    findPlace(*m_document, m_here, place);
    return place;
}

Error JsonPart::problem(const std::string &rest) const {
    const std::string here = place();
    return Error(fmt::format("{} {}", here.empty() ? "the document" : here, rest));
}

Error JsonPart::otherType(const char *expected) const {
    const char *found = m_here->is_number() ? "a number" : m_here->type_name();
    return problem(fmt::format("is {}; {} is expected", found, expected));
}

void JsonPart::read(std::string &value) const {
    if (!m_here->is_string()) throw otherType("a string");
    value = m_here->get_ref<const std::string &>();
}

void JsonPart::read(bool &value) const {
    if (!m_here->is_boolean()) throw otherType("true or false");
    value = m_here->get<bool>();
}

double JsonPart::number() const {
    if (!m_here->is_number()) throw otherType("a number");
    return m_here->get<double>();
}

} // namespace loopscope
