#include "compare_command.h"

#include "code_facts.h"
#include "compare/aligned_steps.h"
#include "compare/explain_difference.h"
#include "compare/timed_pair.h"
#include "explain/feature_differences.h"
#include "features/feature_table.h"
#include "log_model.h"
#include "measure/measurer.h"
#include "outcome.h"
#include "output.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
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

Differences differencesOf(const CompareOptions &options, const LoadedTask &loaded, const LoopState &a,
                          const LoopState &b) {
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
    const auto model = modelOf(all, loaded, pool);
    const auto left = explainSchedule(a, loaded.task.target, model.get());
    const auto right = explainSchedule(b, loaded.task.target, model.get());
    if (!left) throw Error(left.why());
    if (!right) throw Error(right.why());
    return {left->predicted && right->predicted, featureDifferences(*left, *right, kFeaturesTold)};
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
void checkAlone(Measurer &measurer, const ChosenSchedule &side) {
    Trial trial;
    measurer.measure({side.state.steps()}, [&](size_t, const Trial &finished) { trial = finished; });
    if (!trial.valid()) throw Error(fmt::format("{}: {}: {}", side.name, trialErrorName(trial.error), trial.reason));
}

void sayProgress(const std::string &text) {
    if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K%s", text.c_str());
}
void endProgress() {
    if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K");
}

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

} // namespace

int runCompare(const CompareOptions &options) {
    LoadedTask loaded = loadTask(options.workload);
    const bool json = options.workload.json;
    ChosenSchedule a = chooseSchedule(choiceOf(options.a), loaded, json);
    ChosenSchedule b = chooseSchedule(choiceOf(options.b), loaded, json);
    // The naive schedule goes with the other's weights: how they arrive is no step.
    if (options.a == "naive") a.layoutRewrite = b.layoutRewrite;
    if (options.b == "naive") b.layoutRewrite = a.layoutRewrite;
    if (a.layoutRewrite != b.layoutRewrite)
        throw Error(fmt::format("{} was measured with --layout-rewrite {}, {} with {}: their times are not comparable",
                                a.name, a.layoutRewrite, b.name, b.layoutRewrite));
    loaded.task.layoutRewrite = static_cast<LayoutRewrite>(a.layoutRewrite);
    const DagPtr &dag = loaded.task.dag;
    const auto pairs = alignSteps(dag, a.state.steps(), b.state.steps());
    if (!pairs) throw Error(pairs.why());

    const auto measurer = makeWorkerMeasurer(loaded.task, {});
    checkAlone(*measurer, a);
    checkAlone(*measurer, b);
    for (const std::string &note : measurer->notes()) std::fprintf(stderr, "%s\n", note.c_str());
    PairOptions timing;
    timing.repeats = options.repeats;
    const auto timed = timePair(*measurer, a.state.steps(), b.state.steps(), timing, {},
                                [&](int done) { sayProgress(fmt::format("repeat {} of {}", done, options.repeats)); });
    endProgress();
    if (!timed) throw Error(timed.why());
    std::vector<ExplainedStep> explained;
    if (options.explain) {
        auto explanation =
            explainDifference(dag, *measurer, *pairs, {.timing = timing}, {}, [](size_t done, size_t all) {
                sayProgress(fmt::format("difference {} of {}", done, all));
            });
        endProgress();
        if (!explanation) throw Error(explanation.why());
        explained = std::move(explanation).value();
    }

    const Differences differences = differencesOf(options, loaded, a.state, b.state);
    const auto codeA = codeFactsOf(loaded, a);
    const auto codeB = codeFactsOf(loaded, b);

    const RatioInterval &interval = timed->interval;
    const char *verdict = !interval.different() ? "no difference" : interval.ratio > 1 ? "faster" : "slower";
    if (json) {
        CompareJson value = {{"a", a.name},
                             {"b", b.name},
                             {"verdict", verdict},
                             {"ratio", interval.ratio},
                             {"interval", {interval.low, interval.high}},
                             {"repeats", timed->ratios.size()},
                             {"seconds_a", timed->first},
                             {"seconds_b", timed->second},
                             {"steps", stepsJson(*pairs)},
                             {"code", {{"a", codeJson(codeA)}, {"b", codeJson(codeB)}}},
                             {"features", featuresJson(differences)}};
        if (options.explain) value["explanation"] = explanationJson(*pairs, explained);
        writeOutput(value.dump(-1, ' ', false, CompareJson::error_handler_t::replace) + "\n");
        return 0;
    }
    const auto least = [](const std::vector<double> &times) { return *std::min_element(times.begin(), times.end()); };
    std::string out =
        fmt::format("A  {:>10}  {}\nB  {:>10}  {}\n{}; {} repeats\n\n", timeText(least(timed->first)), a.name,
                    timeText(least(timed->second)), b.name, verdictText(interval, "A", "B"), timed->ratios.size());
    for (size_t i = 0; i < pairs->size(); ++i) out += markedLines(*pairs, i, "");
    out += fmt::format("\nA\n{}B\n{}", indented(codeText(codeA)), indented(codeText(codeB)));
    out += featuresText(differences);
    if (options.explain) out += explanationText(*pairs, explained);
    writeOutput(out);
    return 0;
}

} // namespace loopscope
