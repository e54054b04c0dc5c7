#include "deploy/plan/plan_file.h"

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/outcome.h"
#include "base/whole_file.h"
#include "deploy/plan/lifetimes.h"
#include "deploy/plan/plan_json.h"
#include "language/tensor/content_hash.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr const char *kFormat = "loopscope execution plan";
constexpr size_t kMaxJsonBytes = size_t{256} << 20;

std::string dataPath(const std::string &path) { return path + ".bin"; }

std::string hashOf(std::string_view text) {
    ContentHasher hasher;
    hasher.add(text);
    return hasher.finish().text();
}

/// Of the pieces as they were stored, each with its padding.
std::string hashOfData(std::span<const std::byte> bytes) {
    ContentHasher hasher;
    hasher.add(bytes);
    return hasher.finish().text();
}

/// Names of an imported file may be no text; what cannot be written is replaced.
template <typename Json> std::string textOf(const Json &json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

nlohmann::json parsePlan(const std::string &path) {
    const std::string text = readInputFile(path, "the plan", kMaxJsonBytes);
    nlohmann::json json = parseJson(text, path, "this is no plan, or it was cut off: the text");
    if (!json.is_object()) throw Error(path, 0, 0, "this is no plan: it is not one JSON object");
    if (json.value("format", nlohmann::json()) != kFormat)
        throw Error(path, 0, 0, "this is no plan: its \"format\" is not \"" + std::string(kFormat) + "\"");
    const nlohmann::json version = json.value("version", nlohmann::json());
    if (!version.is_number_integer() || version != kPlanVersion)
        throw Error(
            path, 0, 0,
            fmt::format("this plan has version {}, and this program reads version {}", textOf(version), kPlanVersion));
    if (!json.contains("plan") || !json.contains("data") || !json["data"].is_object() || !json.contains("checksum"))
        throw Error(path, 0, 0, "this plan lacks its \"plan\", its \"data\" or its \"checksum\"");
    return json;
}

} // namespace

void writePlan(const ExecutionPlan &plan, const std::string &path) {
    const std::string beside = dataPath(path);
    WholeFile data(beside);
    size_t size = 0;
    const auto store = [&](std::span<const std::byte> bytes) {
        static constexpr std::byte kZeros[kBufferAlignment] = {};
        const size_t at = size;
        data.write(bytes);
        size = alignedBytes(size + bytes.size());
        data.write(std::span(kZeros, size - at - bytes.size()));
        return at;
    };
    // As sorted members, which is how a reader has them.
    const nlohmann::json json = nlohmann::json(planJson(plan, store));
    data.finish();
    const auto written = MappedFile::open(beside);
    const nlohmann::ordered_json whole = {{"format", kFormat},
                                          {"version", kPlanVersion},
                                          {"checksum", hashOf(textOf(json))},
                                          {"data", {{"bytes", size}, {"checksum", hashOfData(written->bytes())}}},
                                          {"plan", json}};
    const std::string text = textOf(whole, 1) + "\n";
    writeWholeFile(path, text);
}

ExecutionPlan readPlan(const std::string &path) {
    const nlohmann::json json = parsePlan(path);
    if (json["checksum"] != hashOf(textOf(json["plan"])))
        throw Error(path, 0, 0, "the plan was changed or damaged: its check sum is that of another plan");
    const std::string beside = dataPath(path);
    const auto data = MappedFile::open(beside);
    if (json["data"].value("bytes", nlohmann::json()) != data->bytes().size())
        throw Error(beside, 0, 0,
                    fmt::format("the plan wants {} bytes of this file, which has {}",
                                textOf(json["data"].value("bytes", nlohmann::json())), data->bytes().size()));
    if (json["data"].value("checksum", nlohmann::json()) != hashOfData(data->bytes()))
        throw Error(beside, 0, 0, "code or constants of the plan were changed or damaged: the check sum is another");
    try {
        ExecutionPlan plan = planFromJson(JsonPart(json["plan"]), data);
        if (const auto problem = problemOf(plan)) throw Error("it cannot be run: " + *problem);
        return plan;
    } catch (const Error &problem) {
        throw Error(path, 0, 0,
                    fmt::format("the plan is not as version {} has it: {}", kPlanVersion, problem.sentence()));
    }
}

} // namespace loopscope
