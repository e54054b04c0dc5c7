#include "why_command.h"

#include "code_facts.h"
#include "output.h"
#include "search/explain/explain_schedule.h"
#include "search/explain/nearest_trials.h"
#include "search/explain/schedule_facts.h"
#include "search/features/feature_table.h"
#include "workbench/best_moves.h"
#include "workbench/log_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace loopscope {

namespace {

using WhyJson = nlohmann::ordered_json;

/// All that is found out, before it is told in one form or the other.
struct Why {
    ChosenSchedule schedule;
    std::optional<double> seconds; // of its record on this target
    bool untimed = false;          // that record is right, and nobody knows how fast
    ScheduleExplanation explained;
    Outcome<CodeFacts> code;
    std::vector<BestMove> moves;
    struct Neighbour {
        size_t record = 0;
        double seconds = 0; // 0: it failed, or was not timed
        bool untimed = false;
        std::vector<StepPair> differences;
    };
    std::vector<Neighbour> neighbours;
};

/// What the executor found right has no times.
bool isUntimed(const Trial &trial) { return trial.valid() && trial.seconds.empty(); }

bool isTimed(const Trial &trial) { return trial.valid() && !trial.seconds.empty(); }

std::vector<Why::Neighbour> neighboursOf(const RecordLog &log, const LoadedTask &loaded, const ChosenSchedule &schedule,
                                         size_t most) {
    std::vector<size_t> others = ownRecords(log, loaded.task);
    if (schedule.record) std::erase(others, *schedule.record);
    const auto trialOf = [&](size_t i) -> const Trial & { return log.records[others[i]].trial; };
    const auto secondsOf = [&](size_t i) { return isTimed(trialOf(i)) ? trialOf(i).cost() : 0; };
    const MeasuredTrials trials{others.size(), [&](size_t i) { return trialOf(i).steps.unpack(); }, secondsOf};
    std::vector<Why::Neighbour> neighbours;
    for (NearTrial &near : nearestTrials(loaded.task.dag, schedule.state.steps(), trials, most))
        neighbours.push_back(
            {others[near.trial], secondsOf(near.trial), isUntimed(trialOf(near.trial)), std::move(near.differences)});
    return neighbours;
}

struct RankedFeature {
    const ExplainedRow *row = nullptr;
    size_t feature = 0;
    double contribution = 0;
};
std::vector<RankedFeature> topFeatures(const ScheduleExplanation &explained, size_t most) {
    std::vector<RankedFeature> features;
    for (const ExplainedRow &row : explained.rows)
        for (size_t f = 0; f < kFeatureCount; ++f)
            if (row.contributions.features[f] != 0)
                features.push_back({&row, f, static_cast<double>(row.contributions.features[f])});
    std::stable_sort(features.begin(), features.end(), [](const RankedFeature &a, const RankedFeature &b) {
        return std::fabs(a.contribution) > std::fabs(b.contribution);
    });
    features.resize(std::min(features.size(), most));
    return features;
}

WhyJson explainedJson(const ScheduleExplanation &explained) {
    WhyJson loops = WhyJson::array();
    for (const ExplainedLoop &loop : explained.loops) {
        WhyJson spent = WhyJson::array();
        for (const CycleShare &share : loop.spent)
            spent.push_back({{"what", cycleKindName(share.kind)}, {"share", share.share}});
        const auto predicted = [&](double value) { return explained.predicted ? WhyJson(value) : WhyJson(nullptr); };
        loops.push_back({{"stage", loop.stageName},
                         {"loop", loop.name.empty() ? WhyJson(nullptr) : WhyJson(loop.name)},
                         {"kind", loop.name.empty() ? std::string_view("statement") : loopKindName(loop.kind)},
                         {"extent", loop.extent > 0 ? WhyJson(loop.extent) : WhyJson(nullptr)},
                         {"depth", loop.depth},
                         {"cycles", explained.cycles > 0 ? WhyJson(loop.cycles) : WhyJson(nullptr)},
                         {"spent", std::move(spent)},
                         {"contribution", predicted(loop.contribution)},
                         {"contribution_inside", predicted(loop.contributionInside)}});
    }
    return loops;
}

WhyJson modelJson(const ScheduleExplanation &explained, size_t most) {
    if (!explained.predicted) return nullptr;
    WhyJson features = WhyJson::array();
    for (const RankedFeature &one : topFeatures(explained, most))
        features.push_back({{"buffer", one.row->buffer},
                            {"feature", featureTable()[one.feature].name},
                            {"meaning", featureTable()[one.feature].meaning},
                            {"value", one.row->features[one.feature]},
                            {"contribution", one.contribution}});
    return {{"score", explained.score},
            {"base", explained.base},
            {"row_count", explained.rowCount},
            {"features", std::move(features)}};
}

WhyJson whyJson(const Why &why, size_t most) {
    WhyJson moves = WhyJson::array();
    for (const BestMove &move : why.moves) moves.push_back({{"line", move.line}, {"predicted_change", move.change}});
    WhyJson neighbours = WhyJson::array();
    for (const Why::Neighbour &one : why.neighbours) {
        WhyJson differences = WhyJson::array();
        for (const StepPair &pair : one.differences) {
            const auto line = [](const std::string &text) { return text.empty() ? WhyJson(nullptr) : WhyJson(text); };
            differences.push_back({{"here", line(pair.lineA)}, {"there", line(pair.lineB)}});
        }
        neighbours.push_back({{"record", one.record},
                              {"seconds", one.seconds > 0 ? WhyJson(one.seconds) : WhyJson(nullptr)},
                              {"differences", std::move(differences)}});
    }
    const ScheduleExplanation &explained = why.explained;
    return {{"schedule", why.schedule.name},
            {"seconds", why.seconds ? WhyJson(*why.seconds) : WhyJson(nullptr)},
            {"estimated_cycles", explained.cycles > 0 ? WhyJson(explained.cycles) : WhyJson(nullptr)},
            {"loops", explainedJson(explained)},
            {"model", modelJson(explained, most)},
            {"code", codeJson(why.code)},
            {"remarks", why.code ? remarksJson(*why.code) : WhyJson::array()},
            {"moves", std::move(moves)},
            {"predicted_by", explained.predicted ? "model" : "estimate"},
            {"neighbours", std::move(neighbours)}};
}

std::string loopsText(const ScheduleExplanation &explained) {
    std::string text;
    if (explained.cycles > 0)
        text += fmt::format("Estimated {:.3g} cycles on the busiest {}. Of each loop: its part of them, what most of "
                            "its part goes to{}\n",
                            explained.cycles, explained.ofGpu ? "multiprocessor" : "core",
                            explained.predicted ? ", and what it adds to the model's score" : "");
    for (const ExplainedLoop &loop : explained.loops) {
        const std::string bound = boundText(loop);
        const std::string line = std::string(2 * static_cast<size_t>(loop.depth), ' ') + loopText(loop);
        const std::string share = explained.cycles > 0 ? fmt::format("{:>6.1f} %", 100 * loop.cycles) : "";
        const std::string score = !explained.predicted     ? ""
                                  : loop.contribution == 0 ? std::string(7, ' ')
                                                           : fmt::format("{:>+7.3f}", loop.contribution);
        text += fmt::format("  {}  {:<24} {}  {}\n", share, bound, score, line);
    }
    return text;
}

std::string neighbourTime(const Why::Neighbour &one) {
    if (one.untimed) return "right, not timed";
    return one.seconds > 0 ? timeText(one.seconds) : std::string("failed");
}

std::string whyText(const Why &why, const LoadedTask &loaded, size_t most) {
    const ScheduleExplanation &explained = why.explained;
    std::string text = why.schedule.name;
    if (why.seconds)
        text += fmt::format(": {}{}", timeText(*why.seconds), speedText(loaded.task.dag->flops(), *why.seconds));
    else if (why.untimed)
        text += ": right, not timed";
    text += "\n\n" + loopsText(explained);
    if (explained.predicted) {
        text += fmt::format("\nThe model's score is {:.3f} of the best speed: {:.3f} before it has seen a feature, "
                            "{:+.3f} for the number of stored buffers, the rest above. What matters most to it:\n",
                            explained.score, explained.base, explained.rowCount);
        for (const RankedFeature &one : topFeatures(explained, most))
            text += fmt::format("  {:>+7.3f}  {} {} = {:.4g}: {}\n", one.contribution, one.row->buffer,
                                featureTable()[one.feature].name, one.row->features[one.feature],
                                featureTable()[one.feature].meaning);
    }
    text += "\n" + codeText(why.code);
    if (why.code)
        if (const std::string remarks = remarksText(*why.code, most); !remarks.empty())
            text += "\nThe compiler remarks\n" + remarks;
    text +=
        fmt::format("\n{}\n", why.moves.empty() ? "No single move is predicted to gain anything."
                                                : fmt::format("Single moves predicted best, by {}",
                                                              explained.predicted ? "a model that learnt from the log"
                                                                                  : "the analytic estimate"));
    for (const BestMove &move : why.moves) text += fmt::format("  {:>9}  {}\n", percentText(move.change), move.line);
    if (!why.neighbours.empty())
        text += std::ranges::all_of(why.neighbours, &Why::Neighbour::untimed)
                    ? "\nNearest schedules that were checked, none of them timed\n"
                    : "\nNearest measured schedules\n";
    for (const Why::Neighbour &one : why.neighbours) {
        text += fmt::format(
            "  record {}, {}{}: {}\n", one.record, neighbourTime(one),
            why.seconds && one.seconds > 0 ? fmt::format(" ({})", percentText(one.seconds / *why.seconds - 1)) : "",
            one.differences.empty() ? "the same steps" : countedText(one.differences.size(), "step") + " other");
        for (size_t i = 0; i < std::min<size_t>(one.differences.size(), 3); ++i) {
            const StepPair &pair = one.differences[i];
            if (!pair.lineA.empty()) text += "    - " + pair.lineA + "\n";
            if (!pair.lineB.empty()) text += "    + " + pair.lineB + "\n";
        }
        if (one.differences.size() > 3) text += fmt::format("    and {} more\n", one.differences.size() - 3);
    }
    return text;
}

} // namespace

int runWhy(const WhyOptions &options) {
    const LoadedTask loaded = loadTask(options.workload);
    const bool json = options.workload.json;
    ChosenSchedule schedule = chooseSchedule(options.record, loaded, json);
    RecordLog log;
    if (!options.record.log.empty()) log = loadRecordLog(options.record.log);
    ThreadPool pool;
    const auto model = modelOf({&log}, loaded.task, pool);
    auto explained = explainSchedule(schedule.state, loaded.task.target, model.get());
    if (!explained) throw Error(explained.why());
    const auto most = static_cast<size_t>(options.most);
    std::optional<double> seconds;
    bool untimed = false;
    if (schedule.record) {
        const Record &record = log.records[*schedule.record];
        const bool here = targetMatches(record, loaded.task.target).ok();
        if (here && isTimed(record.trial)) seconds = record.trial.cost();
        untimed = here && isUntimed(record.trial);
    }
    auto moves = bestMoves(schedule.state, loaded.task.target, model.get(), pool, most);
    auto neighbours = neighboursOf(log, loaded, schedule, most);
    auto code = codeFactsOf(loaded, schedule);
    const Why why{std::move(schedule),          seconds,         untimed,
                  std::move(explained).value(), std::move(code), std::move(moves),
                  std::move(neighbours)};
    writeOutput(json ? whyJson(why, most).dump(-1, ' ', false, WhyJson::error_handler_t::replace) + "\n"
                     : whyText(why, loaded, most));
    return 0;
}

} // namespace loopscope
