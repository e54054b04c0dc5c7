#include "records/bundle/bundle_text.h"

#include "base/fnv_hash.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "base/outcome.h"
#include "language/te/workload.h"
#include "records/bundle/bundle_files.h"
#include "records/bundle/candidate_source.h"
#include "schedule/steps_json.h"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using BundleJson = nlohmann::ordered_json;

constexpr const char *kFormat = "loopscope bundle";
constexpr int kVersion = 1;
constexpr size_t kMaxBundleBytes = size_t{1} << 30;
constexpr std::string_view kIdMark = "\"id\":\"";
constexpr std::string_view kNoId = "0000000000000000";

std::string architectureOf(const Target &target) {
    const auto found = target.attrs.find("arch");
    return target.isGpu() && found != target.attrs.end() ? found->second : "";
}

BundleJson hardwareJson(const HardwareParams &h) {
    return BundleJson::array({h.numCores, h.vectorUnitBytes, h.cacheLineBytes, h.maxSharedMemoryPerBlock,
                              h.maxLocalMemoryPerBlock, h.maxThreadsPerBlock, h.maxVthreadExtent, h.warpSize});
}

HardwareParams hardwareFrom(const BundleJson &json) {
    const auto n = json.get<std::array<int, 8>>();
    return {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]};
}

/// With its id in place, which is the checksum of the text with zeros there.
std::string identified(std::string text, std::string &id) {
    id = hashText(fnvHash(text));
    text.replace(text.find(kIdMark) + kIdMark.size(), kNoId.size(), id);
    return text;
}

Bundle bundleFrom(const BundleJson &json) {
    Bundle bundle;
    bundle.id = json.at("id").get<std::string>();
    bundle.task.key = json.at("key").get<std::string>();
    bundle.task.targetText = json.at("target").get<std::string>();
    bundle.task.hardware = hardwareFrom(json.at("hardware"));
    bundle.task.layoutRewrite = json.at("layout_rewrite").get<int>();
    bundle.task.inputNames = json.at("input_names").get<std::vector<std::string>>();
    bundle.seed = json.at("seed").get<uint64_t>();
    bundle.turns = json.at("turns").get<int>();
    bundle.answer = BundleJson({{"arguments", json.at("arguments")}, {"sets", json.at("sets")}}).dump();
    for (const BundleJson &each : json.at("candidates")) {
        BundleCandidate &candidate = bundle.candidates.emplace_back();
        candidate.steps = stepsFromJson(nlohmann::json::parse(each.at("steps").dump()));
        candidate.source = each.at("source").get<std::string>();
        candidate.error = static_cast<TrialError>(each.at("error").get<int>());
        candidate.reason = each.at("reason").get<std::string>();
    }
    return bundle;
}

} // namespace

std::string hashText(uint64_t hash) { return fmt::format("{:016x}", hash); }

NewBundle makeBundle(const Task &task, const std::string &answer, const std::vector<Steps> &candidates,
                     const BundleOptions &options) {
    NewBundle bundle;
    const bool gpu = task.target.isGpu();
    const ComputeDag &dag = *task.dag;
    BundleJson list = BundleJson::array();
    for (size_t i = 0; i < candidates.size(); ++i) {
        CandidateSource source = candidateSource(task, candidates[i], fmt::format("candidate_{:03}", i));
        BundleJson json = {{"steps", BundleJson::parse(stepsText(candidates[i]))},
                           {"file", fmt::format("candidate-{:03}.{}", i, gpu ? "cu" : "c")},
                           {"source", hashText(fnvHash(source.text))},
                           {"error", static_cast<int>(source.error)},
                           {"reason", source.reason}};
        if (source.error == TrialError::None) {
            bundle.files.push_back({json["file"].get<std::string>(), std::move(source.text)});
            json.update(source.call);
        }
        list.push_back(std::move(json));
    }
    BundleJson json = {{"format", kFormat},
                       {"version", kVersion},
                       {"id", kNoId},
                       {"workload", dag.name()},
                       {"key", task.key},
                       {"target", task.target.text()},
                       {"hardware", hardwareJson(task.target.hardware)},
                       {"layout_rewrite", static_cast<int>(task.layoutRewrite)},
                       {"input_names", task.inputNames},
                       {"text", printWorkload(dag.name(), dag.ops(), dag.args())},
                       {"kind", gpu ? "cuda" : "c"},
                       {"architecture", architectureOf(task.target)},
                       {"threads", task.target.hardware.numCores},
                       {"seed", options.seed},
                       {"samples", options.samples},
                       {"least_seconds", gpu ? 0.002 : 0.01}, // of a sample
                       {"turns", options.turns},
                       {"build_timeout", options.buildTimeout},
                       {"run_timeout", options.runTimeout}};
    json.update(BundleJson::parse(answer));
    json["candidates"] = std::move(list);
    bundle.files.insert(bundle.files.begin(), {"bundle.json", identified(json.dump() + "\n", bundle.id)});
    for (BundleFile &file : filesBesideCandidates(task, candidates.size(), options.turns > 0))
        bundle.files.push_back(std::move(file));
    return bundle;
}

bool Bundle::isOf(const Task &other) const {
    return task.key == other.key && task.targetText == other.target.text() &&
           task.layoutRewrite == static_cast<int>(other.layoutRewrite);
}

Bundle readBundle(const std::string &path) {
    std::string text = readInputFile(path, "the bundle", kMaxBundleBytes);
    const Error changed(path, 0, 0, "the bundle was changed after it was written; write it again");
    const auto read = jsonIn<BundleJson>(text);
    if (!read) throw changed;
    try {
        const BundleJson &json = *read;
        if (!json.is_object() || json.value("format", "") != kFormat)
            throw Error(path, 0, 0, "this is no bundle of candidates");
        if (json.value("version", 0) != kVersion)
            throw Error(path, 0, 0,
                        fmt::format("the bundle is of version {}; this program reads version {}",
                                    json.value("version", 0), kVersion));
        const size_t at = text.find(kIdMark);
        if (at == std::string::npos || at + kIdMark.size() + kNoId.size() > text.size()) throw changed;
        text.replace(at + kIdMark.size(), kNoId.size(), kNoId);
        if (hashText(fnvHash(text)) != json.at("id").get<std::string>()) throw changed;
        return bundleFrom(json);
    } catch (const nlohmann::json::exception &) {
        throw changed;
    }
}

} // namespace loopscope
