#include "networks/strategy/pins.h"

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/outcome.h"
#include "base/whole_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>

namespace loopscope {

namespace {

constexpr const char *kPinsFormat = "loopscope strategy pins";
constexpr size_t kMaxPinBytes = size_t{64} << 20;

} // namespace

std::string pinsPath(const std::string &network) { return network + ".pins.json"; }

Pins readPins(const std::string &path) {
    std::error_code problem;
    if (!std::filesystem::exists(path, problem)) return {};
    const nlohmann::json json = parseJson(readInputFile(path, "the pins", kMaxPinBytes), path, "the file of pins");
    if (!json.is_object() || json.value("format", nlohmann::json()) != kPinsFormat || !json.contains("pins") ||
        !json["pins"].is_object())
        throw Error(
            path, 0, 0,
            fmt::format("is no file of pins: {{\"format\": \"{}\", \"pins\": {{NODE: IMPLEMENTATION}}}}", kPinsFormat));
    Pins pins;
    for (const auto &[node, implementation] : json["pins"].items()) {
        if (!implementation.is_string())
            throw Error(path, 0, 0, fmt::format("the pin of '{}' is no name of an implementation", node));
        pins[node] = implementation.get<std::string>();
    }
    return pins;
}

void writePins(const std::string &path, const Pins &pins) {
    std::error_code problem;
    if (pins.empty()) {
        std::filesystem::remove(path, problem);
        if (problem) throw Error(path, 0, 0, "the file cannot be removed: " + problem.message());
        return;
    }
    const nlohmann::ordered_json json = {{"format", kPinsFormat}, {"pins", pins}};
    writeWholeFile(path, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

} // namespace loopscope
