#include "records/bundle/bundle_results.h"

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/outcome.h"
#include "measure/timing/sampling.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using ResultJson = nlohmann::json;

constexpr const char *kResultsFormat = "loopscope bundle results";
constexpr int kResultsVersion = 1;
constexpr size_t kMaxResultBytes = size_t{256} << 20;

std::string machineText(const ResultJson &result) {
    const ResultJson &machine = result.at("machine");
    std::string text = machine.at("host").get<std::string>() + ": " + machine.at("device").get<std::string>();
    for (const std::string &more : {machine.at("driver").get<std::string>(), result.at("compiler").get<std::string>()})
        if (!more.empty()) text += "; " + more;
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return text;
}

/// Throws std::string: what is wrong with it, to follow "candidate 3: ".
Trial trialOf(const BundleCandidate &candidate, const ResultJson &result) {
    if (result.at("source").get<std::string>() != candidate.source)
        throw std::string("its source was changed before it was run; take the bundle again and run it as it is");
    Trial trial;
    trial.steps = candidate.steps;
    const int error = result.at("error").get<int>();
    if (error < 0 || error > static_cast<int>(TrialError::Unknown))
        throw fmt::format("there is no error {}; 0 to {} are legal", error, static_cast<int>(TrialError::Unknown));
    trial.error = static_cast<TrialError>(error);
    trial.reason = result.at("reason").get<std::string>();
    trial.seconds = result.at("seconds").get<std::vector<double>>();
    trial.maxError = result.at("max_error").get<double>();
    trial.buildSeconds = result.at("build_seconds").get<double>();
    trial.runSeconds = result.at("run_seconds").get<double>();
    trial.timestamp = result.at("time").get<int64_t>();
    if (!std::ranges::all_of(trial.seconds, [](double s) { return s > 0 && std::isfinite(s); }))
        throw std::string("its times are no times; they are more than 0 s");
    if (trial.valid() && trial.seconds.empty()) throw std::string("it has neither times nor an error");
    if (!trial.valid() && trial.reason.empty()) throw std::string("it failed without a reason");
    if (!trial.valid()) trial.seconds.clear();
    trial.unstable = trial.valid() && !bestAgree(trial.seconds, SamplingOptions().agreement);
    return trial;
}

void readInto(std::vector<std::optional<BundleTrial>> &trials, const Bundle &bundle, const ResultJson &json,
              const std::string &path) {
    if (!json.is_object() || json.value("format", "") != kResultsFormat)
        throw Error(path, 0, 0, "these are no results of a bundle");
    if (json.value("version", 0) != kResultsVersion)
        throw Error(path, 0, 0,
                    fmt::format("the results are of version {}; this program reads version {}",
                                json.value("version", 0), kResultsVersion));
    if (json.value("bundle", "") != bundle.id)
        throw Error(path, 0, 0,
                    fmt::format("the results are of another bundle ({}) than the one beside them ({})",
                                json.value("bundle", ""), bundle.id));
    std::vector<bool> seen(trials.size());
    for (const ResultJson &result : json.at("results")) {
        const auto number = result.at("candidate").get<int64_t>();
        if (number < 0 || number >= static_cast<int64_t>(trials.size()))
            throw Error(
                path, 0, 0,
                fmt::format("there is no candidate {}; the bundle has {}, numbered from 0", number, trials.size()));
        const auto i = static_cast<size_t>(number);
        if (seen[i]) throw Error(path, 0, 0, fmt::format("candidate {} has two results", i));
        seen[i] = true;
        if (bundle.candidates[i].error != TrialError::None) continue;
        try {
            trials[i] = {trialOf(bundle.candidates[i], result), machineText(result)};
        } catch (const std::string &problem) {
            throw Error(path, 0, 0, fmt::format("candidate {}: {}", i, problem));
        }
    }
}

} // namespace

std::vector<std::optional<BundleTrial>> readResults(const Bundle &bundle, const std::string &path) {
    std::vector<std::optional<BundleTrial>> trials(bundle.candidates.size());
    for (size_t i = 0; i < trials.size(); ++i) {
        const BundleCandidate &candidate = bundle.candidates[i];
        if (candidate.error == TrialError::None) continue;
        trials[i].emplace();
        trials[i]->trial.steps = candidate.steps;
        trials[i]->trial.error = candidate.error;
        trials[i]->trial.reason = candidate.reason;
    }
    if (!std::filesystem::exists(path)) return trials;
    const std::string text = readInputFile(path, "the results", kMaxResultBytes);
    const Error damaged(path, 0, 0, "the results are damaged; `make run` in a copy of the bundle makes them again");
    const auto json = jsonIn<ResultJson>(text);
    if (!json) throw damaged;
    try {
        readInto(trials, bundle, *json, path);
    } catch (const nlohmann::json::exception &) {
        throw damaged;
    }
    return trials;
}

} // namespace loopscope
