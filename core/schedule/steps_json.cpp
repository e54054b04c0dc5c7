#include "schedule/steps_json.h"

#include "base/outcome.h"
#include "schedule/step_fields.h"

#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

// --- Writing
// ----------------------------------------------------------------------------------------------------------

template <typename Range, typename Write> std::string listText(const Range &range, Write &&write) {
    std::string text = "[";
    for (const auto &item : range) {
        if (text.size() > 1) text += ", ";
        text += write(item);
    }
    return text + "]";
}

std::string fieldText(bool flag) { return flag ? "1" : "0"; }
std::string fieldText(std::integral auto number) { return std::to_string(number); }
std::string fieldText(Annotation annotation) { return std::to_string(static_cast<int>(annotation)); }
std::string fieldText(const std::string &text) { return jsonString(text); }
std::string fieldText(const std::vector<int64_t> &lengths) {
    return listText(lengths, [](int64_t l) { return l == kUnfilled ? std::string("null") : std::to_string(l); });
}
template <typename Id>
    requires requires(Id id) { id.value; }
std::string fieldText(const Id &id) {
    return std::to_string(id.value);
}
template <typename Id>
    requires requires(Id id) { id.value; }
std::string fieldText(const std::vector<Id> &ids) {
    return listText(ids, [](const Id &id) { return std::to_string(id.value); });
}

// --- Reading
// ----------------------------------------------------------------------------------------------------------

template <typename T> constexpr bool kIsList = false;
template <typename T> constexpr bool kIsList<std::vector<T>> = true;

/// `["AN", stage, iter, annotation]`
template <typename Kind> std::string layoutOf() {
    const Kind step;
    std::string text = fmt::format("[\"{}\"", step.tag);
    visitFields(step, [&](std::string_view name, const auto &field) {
        using Field = std::remove_cvref_t<decltype(field)>;
        text += kIsList<Field>                       ? fmt::format(", [{}]", name)
                : std::is_same_v<Field, std::string> ? fmt::format(", \"{}\"", name)
                                                     : fmt::format(", {}", name);
    });
    return text + "]";
}

/// Reads the elements of a step's array, one after the other.
class StepReader {
  public:
    StepReader(const nlohmann::json &array, size_t number) : m_array(array), m_number(number) {}

    template <typename Kind> void readAll(Kind &step) {
        m_tag = step.tag;
        m_layout = layoutOf<Kind>;
        size_t elements = 1;
        visitFields(step, [&](std::string_view, const auto &) { ++elements; });
        if (m_array.size() != elements) fail(fmt::format("it has {} elements instead of {}", m_array.size(), elements));
        visitFields(step, [&](std::string_view, auto &field) {
            ++m_at;
            read(m_array[m_at], field);
        });
    }

  private:
    [[noreturn]] void fail(const std::string &what) const {
        throw Error(fmt::format("step {}: {}; {} takes {}", m_number, what, m_tag, m_layout()));
    }

    void read(const nlohmann::json &value, int64_t &field) const {
        if (!value.is_number_integer()) fail(fmt::format("element {} is not a whole number", m_at));
        if (value.is_number_unsigned() &&
            value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            fail(fmt::format("element {} is too large", m_at));
        field = value.get<int64_t>();
    }
    void read(const nlohmann::json &value, int &field) const {
        int64_t number = 0;
        read(value, number);
        if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
            fail(fmt::format("element {} is too large", m_at));
        field = static_cast<int>(number);
    }
    void read(const nlohmann::json &value, Annotation &field) const {
        int number = 0;
        read(value, number);
        if (number < 0 || number > static_cast<int>(Annotation::Tensorize)) fail("annotations are 0 to 11");
        field = static_cast<Annotation>(number);
    }
    void read(const nlohmann::json &value, bool &field) const {
        int number = 0;
        if (value.is_boolean())
            number = value.get<bool>() ? 1 : 0;
        else
            read(value, number);
        if (number != 0 && number != 1) fail(fmt::format("element {} is neither 0 nor 1", m_at));
        field = number == 1;
    }
    void read(const nlohmann::json &value, std::string &field) const {
        if (!value.is_string()) fail(fmt::format("element {} is not a string", m_at));
        field = value.get<std::string>();
    }
    template <typename Id>
        requires requires(Id id) { id.value; }
    void read(const nlohmann::json &value, Id &field) const {
        read(value, field.value);
    }
    template <typename Id> void read(const nlohmann::json &value, std::vector<Id> &field) const {
        if (!value.is_array()) fail(fmt::format("element {} is not an array", m_at));
        for (const auto &item : value) {
            if constexpr (std::is_same_v<Id, int64_t>)
                if (item.is_null()) {
                    field.push_back(kUnfilled);
                    continue;
                }
            read(item, field.emplace_back());
            if constexpr (std::is_same_v<Id, int64_t>)
                if (field.back() < 1) fail("a length is less than 1");
        }
    }

    const nlohmann::json &m_array;
    size_t m_number;
    std::string_view m_tag;
    std::string (*m_layout)() = nullptr; // what the tag takes
    size_t m_at = 0;                     // the element that is read
};

std::string knownTags() {
    std::string tags;
    anyKind([&](const auto &step) {
        tags += fmt::format("{}{}", tags.empty() ? "" : " ", step.tag);
        return false;
    });
    return tags;
}

} // namespace

std::string stepText(const Step &step) {
    return std::visit(
        [](const auto &s) {
            std::string text = fmt::format("[\"{}\"", s.tag);
            visitFields(s, [&](std::string_view, const auto &field) { text += ", " + fieldText(field); });
            return text + "]";
        },
        step);
}

std::string jsonString(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        switch (c) {
        case '"':
            result += "\\\"";
            break;
        case '\\':
            result += "\\\\";
            break;
        case '\n':
            result += "\\n";
            break;
        case '\r':
            result += "\\r";
            break;
        case '\t':
            result += "\\t";
            break;
        default:
            if (static_cast<unsigned char>(c) < 0x20) {
                result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
            } else {
                result += c;
            }
        }
    }
    return result + '"';
}

std::string stepsText(const Steps &steps) { return listText(steps, stepText); }

Step stepFromJson(const nlohmann::json &array, size_t number) {
    if (!array.is_array() || array.empty() || !array[0].is_string())
        throw Error(fmt::format("step {} is not an array that starts with a tag such as \"SP\"", number));
    const auto &tag = array[0].get_ref<const std::string &>();
    Step read;
    const bool known = anyKind([&](auto step) {
        if (tag != step.tag) return false;
        StepReader(array, number).readAll(step);
        read = std::move(step);
        return true;
    });
    if (!known) throw Error(fmt::format("step {} has the unknown tag \"{}\"; known are {}", number, tag, knownTags()));
    return read;
}

Steps stepsFromJson(const nlohmann::json &array) {
    if (!array.is_array()) throw Error("a list of steps is an array of arrays");
    Steps steps;
    steps.reserve(array.size());
    for (const auto &item : array) steps.push_back(stepFromJson(item, steps.size()));
    return steps;
}

} // namespace loopscope
