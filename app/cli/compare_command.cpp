#include "compare_command.h"

#include "base/outcome.h"
#include "code_facts.h"
#include "codegen/lower/lower.h"
#include "compared_schedules.h"
#include "language/target/detected_gpu.h"
#include "language/target/target_identity.h"
#include "measure/compare/aligned_steps.h"
#include "measure/compare/explain_difference.h"
#include "measure/compare/timed_pair.h"
#include "measure/measurer.h"
#include "output.h"
#include "search/explain/feature_differences.h"
#include "search/features/feature_table.h"
#include "show_gpu.h"
#include "workbench/log_model.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace loopscope {

namespace {

using CompareJson = nlohmann::ordered_json;

/// What the model that learnt from the logs of both sides makes of the features they differ in; without logs, or with
/// too few records, only the features.
struct Differences {
    bool predicted = false;
    std::vector<FeatureDifference> features;
};
constexpr size_t kFeaturesTold = 10;

Outcome<Differences> differencesOf(const CompareOptions &options, const ComparedSchedule &a,
                                   const ComparedSchedule &b) {
    std::vector<RecordLog> logs;
    for (const std::string &side : {options.a, options.b}) {
        const std::string path = choiceOf(side).log;
        const bool known =
            std::any_of(logs.begin(), logs.end(), [&](const RecordLog &log) { return log.path == path; });
        if (!path.empty() && !known) logs.push_back(loadRecordLog(path));
    }
    std::vector<const RecordLog *> all;
    for (const RecordLog &log : logs) all.push_back(&log);
    ThreadPool pool;
    // Scores of models for different targets are not held against each other.
    const auto model = forDifferentTargets(a, b) ? nullptr : modelOf(all, a.loaded.task, pool);
    const auto left = explainSchedule(a.schedule.state, a.loaded.task.target, model.get());
    const auto right = explainSchedule(b.schedule.state, b.loaded.task.target, model.get());
    if (!left) return Refusal{a.schedule.name + ": " + left.why()};
    if (!right) return Refusal{b.schedule.name + ": " + right.why()};
    return Differences{left->predicted && right->predicted, featureDifferences(*left, *right, kFeaturesTold)};
}

CompareJson featuresJson(const Differences &differences) {
    CompareJson json = CompareJson::array();
    const auto predicted = [&](double value) {
        return differences.predicted ? CompareJson(value) : CompareJson(nullptr);
    };
    for (const FeatureDifference &one : differences.features)
        json.push_back({{"buffer", one.buffer},
                        {"feature", featureTable()[one.feature].name},
                        {"meaning", featureTable()[one.feature].meaning},
                        {"a", one.a},
                        {"b", one.b},
                        {"contribution_a", predicted(one.contributionA)},
                        {"contribution_b", predicted(one.contributionB)}});
    return json;
}

std::string featuresText(const Differences &differences) {
    if (differences.features.empty()) return {};
    std::string text = differences.predicted ? "\nWhat makes most difference to a model that learnt from the logs\n"
                                             : "\nFeatures that differ most\n";
    for (size_t i = 0; i < std::min<size_t>(differences.features.size(), 5); ++i) {
        const FeatureDifference &one = differences.features[i];
        const FeatureInfo &info = featureTable()[one.feature];
        if (differences.predicted) text += fmt::format("  {:>+7.3f}", one.contributionB - one.contributionA);
        text += fmt::format("  {} {}: {:.4g} -> {:.4g} ({})\n", one.buffer, info.name, one.a, one.b, info.meaning);
    }
    return text;
}

std::string indented(const std::string &text) {
    std::string result;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        result += "   " + text.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    return result;
}

/// One that fails alone says why.
Outcome<bool> checkAlone(Measurer &measurer, const ChosenSchedule &side) {
    Trial trial;
    measurer.measure({side.state.steps()}, [&](size_t, const Trial &finished) { trial = finished; });
    if (trial.valid()) return true;
    return Refusal{fmt::format("{}: {}: {}", side.name, trialErrorName(trial.error), trial.reason)};
}

void sayProgress(const std::string &text) { sayLive(text); }
void endProgress() { sayLive({}); }

/// Lines as `diff` marks them.
std::string markedLines(const std::vector<StepPair> &pairs, size_t i, const char *indent) {
    const StepPair &pair = pairs[i];
    const std::string label = pair.followed ? fmt::format("p{}: ", i) : "";
    if (pair.same) return fmt::format("{}  {}{}\n", indent, label, pair.lineA);
    std::string text;
    if (pair.a >= 0) text += fmt::format("{}- {}{}\n", indent, label, pair.lineA);
    if (pair.b >= 0) text += fmt::format("{}+ {}{}\n", indent, label, pair.lineB);
    return text;
}

CompareJson stepsJson(const std::vector<StepPair> &pairs) {
    CompareJson json = {{"same", CompareJson::array()},
                        {"changed", CompareJson::array()},
                        {"only_a", CompareJson::array()},
                        {"only_b", CompareJson::array()}};
    for (const StepPair &pair : pairs) {
        if (pair.same)
            json["same"].push_back({{"step_a", pair.a}, {"step_b", pair.b}, {"line", pair.lineA}});
        else if (pair.a >= 0 && pair.b >= 0)
            json["changed"].push_back({{"step_a", pair.a}, {"step_b", pair.b}, {"a", pair.lineA}, {"b", pair.lineB}});
        else if (pair.a >= 0)
            json["only_a"].push_back({{"step_a", pair.a}, {"line", pair.lineA}});
        else
            json["only_b"].push_back({{"step_b", pair.b}, {"line", pair.lineB}});
    }
    return json;
}

CompareJson explanationJson(const std::vector<StepPair> &pairs, const std::vector<ExplainedStep> &explained) {
    CompareJson json = CompareJson::array();
    for (const ExplainedStep &step : explained)
        for (const size_t pair : step.pairs) {
            CompareJson coupled = CompareJson::array();
            for (const size_t other : step.pairs)
                if (other != pair) coupled.push_back(other);
            const auto line = [](const std::string &text) {
                return text.empty() ? CompareJson(nullptr) : CompareJson(text);
            };
            json.push_back({{"step", pair},
                            {"from", line(pairs[pair].lineA)},
                            {"to", line(pairs[pair].lineB)},
                            {"share", step.share},
                            {"ratio", step.interval.ratio},
                            {"interval", {step.interval.low, step.interval.high}},
                            {"coupled_with", std::move(coupled)}});
        }
    return json;
}

std::string explanationText(const std::vector<StepPair> &pairs, const std::vector<ExplainedStep> &explained) {
    std::string text = "\nFrom A to B, what gains most first:\n";
    for (const ExplainedStep &step : explained) {
        text += fmt::format("{:>6.0f} %  {}{}\n", 100 * step.share, verdictText(step.interval, "before", "after"),
                            step.pairs.size() > 1 ? "; these only go together:" : "");
        for (const size_t pair : step.pairs) text += markedLines(pairs, pair, "          ");
    }
    return text;
}

/// What timing found out.
struct Times {
    TimedPair pair;
    std::vector<ExplainedStep> explained;
};

/// Why nothing times them here; none: something does.
std::optional<Refusal> whyUntimed(const ComparedSchedule &a, const ComparedSchedule &b) {
    const Target &target = a.loaded.task.target;
    if (forDifferentTargets(a, b))
        return Refusal{fmt::format("{} is for {} and {} for {}: times of different machines make no ratio",
                                   a.schedule.name, identityOf(target).text(), b.schedule.name,
                                   identityOf(b.loaded.task.target).text())};
    if (target.isGpu())
        if (const auto gpu = gpuThatRuns(target); !gpu)
            return Refusal{fmt::format("they cannot be timed in turn, as no GPU here runs kernels of this target: {}; "
                                       "'measure --runner executor' checks their answers, 'bundle export' takes them "
                                       "to another machine",
                                       gpu.why())};
    if (a.schedule.layoutRewrite != b.schedule.layoutRewrite)
        return Refusal{
            fmt::format("{} was measured with --layout-rewrite {}, {} with {}: their times are not comparable",
                        a.schedule.name, a.schedule.layoutRewrite, b.schedule.name, b.schedule.layoutRewrite)};
    return std::nullopt;
}

Outcome<Times> timesOf(const CompareOptions &options, const ComparedSchedule &a, const ComparedSchedule &b,
                       const std::vector<StepPair> &pairs) {
    if (auto why = whyUntimed(a, b)) return *std::move(why);
    const auto measurer = makeWorkerMeasurer(a.loaded.task, {});
    for (const ComparedSchedule *side : {&a, &b})
        if (auto good = checkAlone(*measurer, side->schedule); !good) return good.refusal();
    for (const std::string &note : measurer->notes()) sayLine(note);
    PairOptions timing;
    timing.repeats = options.repeats;
    const auto timed = timePair(*measurer, a.schedule.state.steps(), b.schedule.state.steps(), timing, {},
                                [&](int done) { sayProgress(fmt::format("repeat {} of {}", done, options.repeats)); });
    endProgress();
    if (!timed) return timed.refusal();
    Times times{*timed, {}};
    if (!options.explain) return times;
    auto explanation =
        explainDifference(a.loaded.task.dag, *measurer, pairs, {.timing = timing}, {},
                          [](size_t done, size_t all) { sayProgress(fmt::format("difference {} of {}", done, all)); });
    endProgress();
    if (!explanation) return explanation.refusal();
    times.explained = std::move(explanation).value();
    return times;
}

/// What is known of the code of a side: of a processor's kernel its hottest block, of a GPU's what they ask for.
struct SideCode {
    CompareJson json;
    std::string text;
};
SideCode codeOf(const ComparedSchedule &side) {
    if (!side.loaded.task.target.isGpu()) {
        const auto facts = codeFactsOf(side.loaded, side.schedule);
        return {codeJson(facts), codeText(facts)};
    }
    const auto program = lower(side.schedule.state, side.loaded.task.target,
                               {.layoutRewrite = side.schedule.layoutRewrite, .observer = {}});
    GpuForm form = limitsForm(program ? &*program : nullptr, side.loaded.task.target, program ? "" : program.why());
    return {std::move(form.json), std::move(form.text)};
}

CompareJson timesJson(const Outcome<Times> &times) {
    if (!times)
        return {{"verdict", nullptr},
                {"not_timed", times.why()},
                {"ratio", nullptr},
                {"interval", nullptr},
                {"repeats", 0},
                {"seconds_a", CompareJson::array()},
                {"seconds_b", CompareJson::array()}};
    const RatioInterval &interval = times->pair.interval;
    return {{"verdict", !interval.different() ? "no difference"
                        : interval.ratio > 1  ? "faster"
                                              : "slower"},
            {"ratio", interval.ratio},
            {"interval", {interval.low, interval.high}},
            {"repeats", times->pair.ratios.size()},
            {"seconds_a", times->pair.first},
            {"seconds_b", times->pair.second}};
}

std::string timesText(const Outcome<Times> &times, const ComparedSchedule &a, const ComparedSchedule &b) {
    if (!times)
        return fmt::format("A  {}: {}\nB  {}: {}\n{}\n\n", a.schedule.name, loggedText(a), b.schedule.name,
                           loggedText(b), "not timed: " + times.why());
    const auto least = [](const std::vector<double> &seconds) {
        return *std::min_element(seconds.begin(), seconds.end());
    };
    return fmt::format("A  {:>10}  {}\nB  {:>10}  {}\n{}; {} repeats\n\n", timeText(least(times->pair.first)),
                       a.schedule.name, timeText(least(times->pair.second)), b.schedule.name,
                       verdictText(times->pair.interval, "A", "B"), times->pair.ratios.size());
}

} // namespace

int runCompare(const CompareOptions &options) {
    const auto [a, b] = comparedSchedules(options);
    const bool across = forDifferentTargets(a, b);
    if (across && options.explain)
        throw UsageError(fmt::format("--explain times one difference after the other, which needs one machine: {}",
                                     whyUntimed(a, b)->sentence));
    const auto pairs = alignSteps(a.loaded.task.dag, a.schedule.state.steps(), b.schedule.state.steps());
    if (!pairs) throw Error(pairs.why());
    const Outcome<Times> times = timesOf(options, a, b, *pairs);
    const auto differences = differencesOf(options, a, b);
    const SideCode codeA = codeOf(a);
    const SideCode codeB = codeOf(b);
    // Nobody times what runs on different machines: then all that was asked for is told. Else something is missing.
    const bool failed = !times && !across;
    if (options.workload.json) {
        CompareJson value = {{"a", a.schedule.name}, {"b", b.schedule.name}};
        value.update(timesJson(times));
        value["logged"] = {{"a", loggedJson(a)}, {"b", loggedJson(b)}};
        value["steps"] = stepsJson(*pairs);
        value["code"] = {{"a", codeA.json}, {"b", codeB.json}};
        value["features"] = differences ? featuresJson(*differences) : CompareJson::array();
        if (!differences) value["features_problem"] = differences.why();
        if (times && options.explain) value["explanation"] = explanationJson(*pairs, times->explained);
        if (failed) value["error"] = times.why();
        writeOutput(value.dump(-1, ' ', false, CompareJson::error_handler_t::replace) + "\n");
        if (failed) throw ReportedError(times.why());
        return 0;
    }
    std::string out = timesText(times, a, b);
    for (size_t i = 0; i < pairs->size(); ++i) out += markedLines(*pairs, i, "");
    out += fmt::format("\nA\n{}B\n{}", indented(codeA.text), indented(codeB.text));
    out += differences ? featuresText(*differences) : "\nNo features: " + differences.why() + "\n";
    if (times && options.explain) out += explanationText(*pairs, times->explained);
    writeOutput(out);
    if (failed) throw Error(times.why());
    return 0;
}

} // namespace loopscope
