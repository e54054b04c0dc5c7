#include "records/resolve/task_key.h"

#include "base/json_text.h"
#include "records/resolve/resolver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace loopscope {

namespace {

using Json = nlohmann::json;

constexpr size_t kMaxKeyBytes = size_t{1} << 20;
constexpr int64_t kMaxExtent = int64_t{1} << 40;

bool looksLikeHash(std::string_view name) {
    return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Integers of an array; nothing when there is anything else.
std::optional<std::vector<int64_t>> integersOf(const Json &array) {
    std::vector<int64_t> values;
    for (const Json &element : array) {
        if (!element.is_number_integer()) return std::nullopt;
        values.push_back(element.get<int64_t>());
    }
    return values;
}

Outcome<KeyArg> functionArg(const Json &json, size_t number) {
    if (json.is_number_integer()) return KeyArg(json.get<int64_t>());
    if (json.is_boolean()) return KeyArg(int64_t{json.get<bool>() ? 1 : 0});
    if (json.is_number()) return KeyArg(json.get<double>());
    if (json.is_string()) return KeyArg(json.get<std::string>());
    if (json.is_array()) {
        if (json.size() == 3 && json[0] == "TENSOR" && json[1].is_array() && json[2].is_string())
            if (auto shape = integersOf(json[1]))
                return KeyArg(KeyTensor{*std::move(shape), json[2].get<std::string>()});
        if (auto list = integersOf(json)) return KeyArg(*std::move(list));
    }
    return Refusal{
        fmt::format("argument {} of the function is {}; an argument is a number, a text, a list of integers or "
                    "[\"TENSOR\", shape, type]",
                    number, json.dump())};
}

Outcome<TaskKey> hashKey(TaskKey key, const Json &json) {
    key.nested =
        json.size() > 1 && std::all_of(json.begin() + 1, json.end(), [](const Json &j) { return j.is_array(); });
    for (size_t i = 1; i < json.size(); ++i) {
        const auto shape = integersOf(json[i].is_array() ? json[i] : Json::array({json[i]}));
        if (!shape)
            return Refusal{
                fmt::format("element {} of the key is {}; after the hash stand extents or shapes", i, json[i].dump())};
        for (const int64_t extent : *shape)
            if (extent < 1 || extent > kMaxExtent)
                return Refusal{fmt::format("the key has an extent of {}; an extent is from 1 to 2^40", extent)};
        key.numbers.insert(key.numbers.end(), shape->begin(), shape->end());
        if (key.nested) key.shapes.push_back(*shape);
    }
    return key;
}

} // namespace

std::string shapeText(const Shape &shape) {
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

Outcome<TaskKey> parseTaskKey(const std::string &key) {
    if (key.size() > kMaxKeyBytes) return Refusal{fmt::format("the key has {} bytes", key.size())};
    const Json json = jsonIn(key).value_or(Json());
    if (!json.is_array() || json.empty() || !json[0].is_string())
        return Refusal{
            fmt::format("{} is no workload key; one is [\"HASH\", [shape], ...] or [\"FUNCTION\", argument, ...]",
                        key.empty() ? "an empty text" : key)};
    TaskKey parsed;
    parsed.name = json[0].get<std::string>();
    parsed.isHash = looksLikeHash(parsed.name);
    if (parsed.isHash) return hashKey(std::move(parsed), json);
    for (size_t i = 1; i < json.size(); ++i) {
        Outcome<KeyArg> arg = functionArg(json[i], i);
        if (!arg) return arg.refusal();
        parsed.args.push_back(std::move(arg).value());
    }
    return parsed;
}

} // namespace loopscope
