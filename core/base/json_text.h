#pragma once
// Reading JSON that somebody gave us: the one way from the text of a file to values. How deep it may nest is limited,
// as the library copies, compares and frees documents by recursion, and so is how much memory its values take. What is
// wrong is said in our words, with its place in the text (parseJson) or in the document (JsonPart).

#include "base/outcome.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace loopscope {

constexpr int kDeepestJson = 64;           // nothing of ours has a dozen
constexpr size_t kMaxJsonValues = 8000000; // some 100 bytes each

/// Why the text is not to be parsed, as the rest of a sentence ("nests deeper than 64 levels"); nothing when it may be.
std::optional<std::string> jsonBeyondLimits(std::string_view text);

/// How parseJson refuses what the library stumbled over behind `bytes` bytes (0: over a number too large).
[[nodiscard]] Error jsonProblem(std::string_view text, size_t bytes, const std::string &path, const std::string &what,
                                int firstLine);

/// `what` begins the sentence: "the key table". Throws Error with line and column, counted from `firstLine`.
template <typename Json = nlohmann::json>
Json parseJson(std::string_view text, const std::string &path, const std::string &what, int firstLine = 1) {
    if (const auto why = jsonBeyondLimits(text)) throw Error(path, firstLine > 1 ? firstLine : 0, 0, what + " " + *why);
    try {
        return Json::parse(text);
    } catch (const nlohmann::json::parse_error &problem) {
        throw jsonProblem(text, problem.byte, path, what, firstLine);
    } catch (const nlohmann::json::exception &) {
        throw jsonProblem(text, 0, path, what, firstLine);
    }
}

/// Nothing where it is no JSON, or more of it than is read: for texts that may be something else.
template <typename Json = nlohmann::json> std::optional<Json> jsonIn(std::string_view text) {
    if (jsonBeyondLimits(text)) return std::nullopt;
    Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    return json.is_discarded() ? std::nullopt : std::optional<Json>(std::move(json));
}

/// A value within a document that knows where it stands: what is missing or of another type is an Error that says so
/// ("calls[3].name is a number; a string is expected"). The document outlives it.
class JsonPart {
  public:
    explicit JsonPart(const nlohmann::json &document) : m_document(&document), m_here(&document) {}

    [[nodiscard]] JsonPart at(std::string_view member) const;
    [[nodiscard]] JsonPart at(size_t index) const;
    [[nodiscard]] std::optional<JsonPart> find(std::string_view member) const;
    [[nodiscard]] std::vector<JsonPart> items() const; // of an array
    [[nodiscard]] size_t size() const { return m_here->size(); }
    [[nodiscard]] bool isNull() const { return m_here->is_null(); }
    [[nodiscard]] const nlohmann::json &json() const { return *m_here; }
    /// "calls[3].name"; empty for the document itself.
    [[nodiscard]] std::string place() const;
    /// An Error about this value: `rest` follows its place.
    [[nodiscard]] Error problem(const std::string &rest) const;

    template <typename T> [[nodiscard]] T get() const {
        T value{};
        read(value);
        return value;
    }
    template <typename T> void get_to(T &value) const { read(value); }
    template <typename T> [[nodiscard]] T valueOr(std::string_view member, T otherwise) const {
        const auto found = find(member);
        return found ? found->get<T>() : std::move(otherwise);
    }
    template <typename T>
        requires std::is_arithmetic_v<T>
    operator T() const { // NOLINT(google-explicit-constructor): members of numbers are filled in so
        return get<T>();
    }

  private:
    JsonPart(const nlohmann::json &document, const nlohmann::json &here) : m_document(&document), m_here(&here) {}
    [[nodiscard]] Error otherType(const char *expected) const;
    void read(std::string &value) const;
    void read(bool &value) const;
    [[nodiscard]] double number() const;
    template <typename T>
        requires std::is_floating_point_v<T>
    void read(T &value) const {
        value = static_cast<T>(number());
    }
    template <typename T> void read(std::vector<T> &values) const {
        values.clear(); // of what a member begins with
        for (const JsonPart &each : items()) values.push_back(each.get<T>());
    }
    template <typename T>
        requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
    void read(T &value) const {
        if (!m_here->is_number_integer()) throw otherType("a whole number");
        constexpr auto most = static_cast<uint64_t>(std::numeric_limits<T>::max());
        const bool fits = m_here->is_number_unsigned()
                              ? m_here->get<uint64_t>() <= most
                              : m_here->get<int64_t>() >= static_cast<int64_t>(std::numeric_limits<T>::min());
        if (!fits) throw problem("is out of range");
        value = m_here->get<T>();
    }

    const nlohmann::json *m_document;
    const nlohmann::json *m_here;
};

} // namespace loopscope
