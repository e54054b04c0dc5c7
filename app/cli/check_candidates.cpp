#include "check_candidates.h"

#include "base/outcome.h"
#include "codegen/executor/executor_finding.h"
#include "measure/measurer.h"
#include "output.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace loopscope {

namespace {

using CandidateJson = nlohmann::ordered_json;

struct CheckedCandidate {
    std::string name; // "record 3"
    std::optional<size_t> record;
    int layoutRewrite = 0;
    Steps steps;
    Trial trial = {};
};

std::vector<CheckedCandidate> candidatesOf(const MeasureCommandOptions &options, const LoadedTask &loaded) {
    if (options.record.record != "all") {
        const ChosenSchedule chosen = requiredSchedule(options.record, loaded, options.workload.json);
        return {{chosen.name, chosen.record, chosen.layoutRewrite, chosen.state.steps()}};
    }
    const RecordLog log = loadRecordLog(options.record.log);
    for (const auto &line : skippedTexts(log)) sayLine(line);
    std::vector<CheckedCandidate> candidates;
    for (size_t i = 0; i < log.records.size(); ++i)
        if (recordMatches(log.records[i], loaded.task))
            candidates.push_back(
                {fmt::format("record {}", i), i, log.records[i].layoutRewrite, log.records[i].trial.steps.unpack()});
    if (candidates.empty())
        throw Error(options.record.log, 0, 0,
                    fmt::format("none of its {} is of this task", countedText(log.records.size(), "record")));
    return candidates;
}

std::vector<std::string> linesOf(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// Of each sentence that is a finding of the executor: what, where.
CandidateJson findingsJson(const std::vector<std::string> &sentences) {
    CandidateJson findings = CandidateJson::array();
    for (const std::string &sentence : sentences) {
        const ToldFinding told = toldFinding(sentence);
        if (told.fault.empty()) continue;
        CandidateJson places = CandidateJson::array();
        for (const ToldFinding::Place &place : told.places)
            places.push_back({{"line", place.line},
                              {"store", place.store.empty() ? CandidateJson(nullptr) : CandidateJson(place.store)},
                              {"loops", place.loops}});
        findings.push_back({{"fault", told.fault}, {"places", std::move(places)}, {"text", sentence}});
    }
    return findings;
}

CandidateJson jsonOf(const CheckedCandidate &candidate) {
    const Trial &trial = candidate.trial;
    CandidateJson json = {
        {"record", candidate.record ? CandidateJson(*candidate.record) : CandidateJson(nullptr)},
        {"right", trial.valid()},
        {"kind", trialErrorName(trial.error)},
        {"found", trial.valid() ? std::vector<std::string>() : linesOf(trial.reason)},
        {"findings", findingsJson(trial.valid() ? std::vector<std::string>() : linesOf(trial.reason))},
        {"ran", trial.valid() ? CandidateJson(trial.reason) : CandidateJson(nullptr)},
        {"error", trial.maxError},
        {"check_seconds", trial.runSeconds}};
    return json;
}

std::string textOf(const CheckedCandidate &candidate) {
    const Trial &trial = candidate.trial;
    if (trial.valid())
        return fmt::format("{}: right; {}; largest error {:.3g} of the tolerance against the reference\n",
                           candidate.name, trial.reason, trial.maxError);
    std::string text = fmt::format("{}: {}\n", candidate.name, trialErrorName(trial.error));
    for (const std::string &line : linesOf(trial.reason)) text += "  " + line + "\n";
    return text;
}

} // namespace

int runCheckCandidates(const MeasureCommandOptions &options, LoadedTask &loaded) {
    MeasureOptions measureOptions;
    applyRunner(options.runner, loaded.task.target, measureOptions);
    measureOptions.runTimeout = 120; // a person waits for the answer, not a search
    std::vector<CheckedCandidate> candidates = candidatesOf(options, loaded);
    // A record is checked with its own layout of the weights; those of one log mostly share it.
    for (size_t first = 0; first < candidates.size();) {
        size_t end = first;
        std::vector<Steps> steps;
        while (end < candidates.size() && candidates[end].layoutRewrite == candidates[first].layoutRewrite)
            steps.push_back(candidates[end++].steps);
        loaded.task.layoutRewrite = static_cast<LayoutRewrite>(candidates[first].layoutRewrite);
        const auto measurer = makeWorkerMeasurer(loaded.task, measureOptions);
        measurer->measure(steps, [&](size_t index, const Trial &trial) { candidates[first + index].trial = trial; });
        first = end;
    }
    const auto wrong = static_cast<size_t>(
        std::count_if(candidates.begin(), candidates.end(), [](const auto &c) { return !c.trial.valid(); }));
    std::string out;
    if (options.workload.json) {
        CandidateJson json = {{"workload", loaded.workload.name},
                              {"target", loaded.task.target.text()},
                              {"runner", "executor"},
                              {"right", candidates.size() - wrong},
                              {"candidates", CandidateJson::array()}};
        for (const CheckedCandidate &candidate : candidates) json["candidates"].push_back(jsonOf(candidate));
        out = json.dump(-1, ' ', false, CandidateJson::error_handler_t::replace) + "\n";
    } else {
        for (const CheckedCandidate &candidate : candidates) out += textOf(candidate);
    }
    writeOutput(out);
    if (wrong > 0)
        throw ReportedError(fmt::format("measure: {} of {} failed on the executor", wrong,
                                        countedText(candidates.size(), "candidate")));
    return 0;
}

} // namespace loopscope
