#include "strategy/pins.h"

#include "input_file.h"
#include "outcome.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

namespace loopscope {

namespace {

constexpr const char *kPinsFormat = "loopscope strategy pins";
constexpr size_t kMostPinBytes = size_t{64} << 20;

} // namespace

std::string pinsPath(const std::string &network) { return network + ".pins.json"; }

Pins readPins(const std::string &path) {
    std::error_code problem;
    if (!std::filesystem::exists(path, problem)) return {};
    const auto json = nlohmann::json::parse(readInputFile(path, "the pins", kMostPinBytes), nullptr, false);
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
    const std::string beside = path + ".part";
    {
        std::ofstream file(beside, std::ios::trunc);
        file << nlohmann::ordered_json{{"format", kPinsFormat}, {"pins", pins}}.dump(2) << "\n";
        if (!file.flush()) throw Error(path, 0, 0, "the file cannot be written");
    }
    std::filesystem::rename(beside, path, problem);
    if (problem) throw Error(path, 0, 0, "the file cannot be written: " + problem.message());
}

} // namespace loopscope
