#include "tune_report.h"

#include "compare_again.h"
#include "schedule/steps_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

std::string intervalText(const TimeInterval &time) {
    return fmt::format("{} ({} to {})", timeText(time.seconds), timeText(time.low), timeText(time.high));
}

/// "3.2 times slower", of times that were taken in turn; what is faster is not said to be "0.1 times slower".
std::string comparedWithBest(const TimeInterval &naive, const TimeInterval &best) {
    if (naive.overlaps(best)) return "as fast as the best found, as far as the two can be told apart";
    const bool slower = naive.seconds > best.seconds;
    const double times = slower ? naive.seconds / best.seconds : best.seconds / naive.seconds;
    return fmt::format("{:.{}f} times {}", times, times < 10 ? 2 : 1,
                       slower ? "slower" : "faster than the best found; the loops as written serve this workload best");
}

/// The most frequent three, a line each.
std::string mostFrequent(const std::map<std::string, int> &counts) {
    std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    std::string text;
    int others = 0;
    for (size_t i = 0; i < sorted.size(); ++i) {
        if (i < 3)
            text += fmt::format("  {} x {}\n", sorted[i].second, sorted[i].first);
        else
            others += sorted[i].second;
    }
    return others > 0 ? text + fmt::format("  {} x other reasons\n", others) : text;
}

int sumOf(const std::map<std::string, int> &counts) {
    int sum = 0;
    for (const auto &[what, count] : counts) sum += count;
    return sum;
}

/// What the search dropped or changed without failing a trial.
void describeLosses(TuneReport &report, const SearchResult &result) {
    report.json["refused"] = {{"sampled", Json(result.refusedSamples)}, {"children", Json(result.refusedChildren)}};
    report.json["serial_loops"] = {{"trials", result.serialisedTrials}, {"loops", Json(result.serialisedLoops)}};
    if (const int samples = sumOf(result.refusedSamples); samples > 0)
        report.text += fmt::format("{} drawn schedule{} invalid:\n{}", samples, samples == 1 ? " was" : "s were",
                                   mostFrequent(result.refusedSamples));
    if (const int children = sumOf(result.refusedChildren); children > 0)
        report.text += fmt::format("{} child{} invalid:\n{}", children, children == 1 ? " was" : "ren were",
                                   mostFrequent(result.refusedChildren));
    if (result.serialisedTrials > 0)
        report.text +=
            fmt::format("{} trial{} annotated loops that run serially:\n{}", result.serialisedTrials,
                        result.serialisedTrials == 1 ? " has" : "s have", mostFrequent(result.serialisedLoops));
}

} // namespace

TuneReport describe(const TunedTask &tuned, const std::string &log, std::optional<size_t> ofAll) {
    const Task &task = tuned.loaded.task;
    const std::string &workloadName = tuned.loaded.workload.name;
    const SearchResult &result = tuned.result;
    const ResumedTrials &resumed = tuned.resumed;
    const std::vector<size_t> &numbers = tuned.recordNumbers;
    const Trial &naive = tuned.naive;
    std::map<std::string, int> failures;
    size_t valid = 0;
    size_t total = 0;
    for (const auto *trials : {&resumed.trials, &result.trials})
        for (const auto &trial : *trials) {
            ++total;
            if (trial.valid()) {
                ++valid;
            } else {
                ++failures[std::string(trialErrorName(trial.error))];
            }
        }
    const double flops = task.dag->flops();

    const auto recordOf = [&](int trial) {
        const auto index = static_cast<size_t>(trial);
        return index < resumed.numbers.size() ? resumed.numbers[index] : numbers[index - resumed.numbers.size()];
    };
    TimeInterval naiveTime;
    for (const ComparedTime &entry : result.compared)
        if (entry.trial < 0) naiveTime = entry.time;

    TuneReport report;
    report.json = {{"workload", workloadName}, {"key", task.key},           {"target", task.target.text()},
                   {"flops", flops},           {"trials", total},           {"resumed", resumed.trials.size()},
                   {"valid", valid},           {"failures", Json::object()}};
    for (const auto &[kind, count] : failures) report.json["failures"][kind] = count;
    report.text = fmt::format("{}: {}, {} verified", tuned.name, countedText(total, "trial"), valid);
    for (const auto &[kind, count] : failures) report.text += fmt::format(", {} {}", count, kind);
    report.text += "\n";

    if (result.best) {
        const Trial &best = result.bestIsResumed ? resumed.trials[*result.best] : result.trials[*result.best];
        const size_t number = result.bestIsResumed ? resumed.numbers[*result.best] : numbers[*result.best];
        // The finalists' interleaved times were taken side by side; the logged ones minutes apart.
        const bool compared = result.bestTime.known();
        const double seconds = compared ? result.bestTime.seconds : best.cost();
        const bool timed = !best.seconds.empty();
        const auto speed = timed ? gigaflops(flops, seconds) : std::nullopt;
        report.json["best"] = {{"seconds", timed ? Json(seconds) : Json(nullptr)},
                               {"gflops", speed ? Json(*speed) : Json(nullptr)},
                               {"record", number},
                               {"steps", Json::parse(stepsText(best.steps.unpack()))}};
        if (compared) {
            report.json["best"]["seconds_low"] = result.bestTime.low;
            report.json["best"]["seconds_high"] = result.bestTime.high;
        }
        if (!timed)
            report.text +=
                fmt::format("best predicted of those whose answer is right: record {}; nothing was timed\n", number);
        else
            report.text +=
                fmt::format("best: {}{} (record {})\n", compared ? intervalText(result.bestTime) : timeText(seconds),
                            speedText(flops, seconds), number);
        if (naiveTime.known() && compared)
            report.text += fmt::format("naive kernel: {}, {}\n", intervalText(naiveTime),
                                       comparedWithBest(naiveTime, result.bestTime));
        else if (naive.valid())
            report.text += fmt::format("naive kernel: {}, measured before the search{}\n", timeText(naive.cost()),
                                       naive.unstable ? ", unstable" : "");
        report.text += compareAgainText(result.bestTime, log, ofAll.value_or(total));
        report.json["best"]["compare_again"] = result.bestTime.wide();
    } else {
        report.json["best"] = nullptr;
        report.text += "no candidate was valid\n";
    }
    if (!naive.valid()) report.text += fmt::format("naive kernel: not measured: {}\n", naive.reason);
    report.json["naive_seconds"] = naiveTime.known() ? Json(naiveTime.seconds)
                                   : naive.valid()   ? Json(naive.cost())
                                                     : Json(nullptr);
    report.json["compared"] = Json::array();
    for (const ComparedTime &entry : result.compared)
        report.json["compared"].push_back({{"record", entry.trial < 0 ? Json(nullptr) : Json(recordOf(entry.trial))},
                                           {"seconds", entry.time.seconds},
                                           {"seconds_low", entry.time.low},
                                           {"seconds_high", entry.time.high}});
    report.json["naive_unstable"] = naive.unstable && !naiveTime.known();
    report.json["search_seconds"] = result.searchSeconds;
    report.json["measure_seconds"] = result.measureSeconds;
    report.json["model"] = {
        {"pairs_ranked_right", result.pairsRankedRight >= 0 ? Json(result.pairsRankedRight) : Json(nullptr)}};
    report.json["cancelled"] = result.cancelled;
    describeLosses(report, result);
    report.text += fmt::format("search {:.1f} s, measuring {:.1f} s", result.searchSeconds, result.measureSeconds);
    if (result.pairsRankedRight >= 0)
        report.text += fmt::format("; the model ranked {:.0f} % of pairs right", 100 * result.pairsRankedRight);
    report.text += "\n";
    if (!log.empty()) {
        report.json["log"] = log;
        report.text += fmt::format("log: {}\n", log);
    }
    return report;
}

namespace {

size_t verifiedTrials(const TunedTask &tuned) {
    size_t verified = 0;
    for (const auto *trials : {&tuned.resumed.trials, &tuned.result.trials})
        verified += static_cast<size_t>(
            std::count_if(trials->begin(), trials->end(), [](const Trial &trial) { return trial.valid(); }));
    return verified;
}

size_t measuredTrials(const TunedTask &tuned) { return tuned.resumed.trials.size() + tuned.result.trials.size(); }

} // namespace

std::string tuneProblem(const std::vector<const TunedTask *> &tasks, const SearchOptions &options,
                        const std::string &log, bool interrupted, bool alternatives) {
    size_t verified = 0;
    size_t measured = 0;
    for (const TunedTask *tuned : tasks) {
        verified += verifiedTrials(*tuned);
        measured += measuredTrials(*tuned);
    }
    if (interrupted) {
        const char *kept = log.empty() || measured == 0 ? "" : "; the log keeps them, --resume continues";
        return fmt::format(
            "tune: interrupted after {} of {}{}{}", measured,
            countedText((alternatives ? 1 : tasks.size()) * static_cast<size_t>(options.trials), "trial"),
            measured > 0 && verified == 0 ? ", none of them valid" : "", kept);
    }
    std::vector<std::string> without; // a valid candidate
    size_t failed = 0;
    bool cutShort = false;
    for (const TunedTask *tuned : tasks) {
        if (tuned->result.best) continue;
        without.push_back(tuned->name);
        failed += measuredTrials(*tuned);
        cutShort = cutShort || tuned->result.cancelled;
    }
    if (without.empty() || (alternatives && without.size() < tasks.size())) return {};
    const std::string of = tasks.size() > 1 ? fmt::format(" of {}", fmt::join(without, ", ")) : "";
    if (!cutShort) return fmt::format("tune: no candidate{} was valid; the reasons are in the log and above", of);
    return fmt::format("tune: --time-limit {:g} ended the search before any candidate{} was valid{}; give it more "
                       "seconds, or 0 for no limit",
                       options.timeLimitSeconds, of, failed > 0 ? fmt::format(" ({} failed)", failed) : std::string());
}

} // namespace loopscope
