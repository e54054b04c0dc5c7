#include "tune_command.h"

#include "compare_again.h"
#include "measure/measurer.h"
#include "outcome.h"
#include "output.h"
#include "progress.h"
#include "record/record_writer.h"
#include "schedule/steps_json.h"
#include "search/stop_watch.h"
#include "search/tuner.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

SearchControl g_control;

/// The first Ctrl-C ends the search after the running trial; the second ends the program (children die with it).
void onInterrupt(int) {
    if (g_control.cancelled()) _exit(130);
    g_control.cancel();
}

/// Logs each trial before the search goes on, and shows it.
class TuneObserver final : public SearchObserver {
  public:
    /// `writer`: null without a log.
    TuneObserver(const Task &task, RecordWriter *writer, size_t recordsBefore, Progress &progress)
        : m_task(task), m_nextRecord(recordsBefore), m_progress(progress), m_writer(writer) {}
    void on(const SearchEvent &event) override {
        if (const auto *finished = std::get_if<TrialFinished>(&event)) {
            if (m_writer) m_writer->append(makeRecord(m_task, finished->trial));
            recordNumbers.push_back(m_nextRecord++);
        }
        m_progress.on(event);
    }
    std::vector<size_t> recordNumbers; // of each trial, in the log

  private:
    const Task &m_task;
    size_t m_nextRecord;
    Progress &m_progress;
    RecordWriter *m_writer;
};

struct Resumed {
    std::vector<Trial> trials;
    std::vector<Record> records; // of the trials
    std::vector<size_t> numbers;
    size_t recordsInLog = 0;
};

/// Before anything slow, since the log may be in use. Null without a log.
std::unique_ptr<RecordWriter> openLog(const TuneOptions &options, Progress &progress) {
    if (options.log.empty()) return nullptr;
    if (options.resume && access(options.log.c_str(), F_OK) != 0)
        throw Error(options.log, 0, 0, "there is no log to resume from; without --resume a new one is started");
    return std::make_unique<RecordWriter>(options.log, [&](const std::string &sentence) { progress.say(sentence); });
}

Resumed loadResumed(const TuneOptions &options, const Task &task, Progress &progress) {
    Resumed resumed;
    if (options.log.empty() || !std::filesystem::is_regular_file(options.log)) return resumed;
    RecordLog log = loadRecordLog(options.log);
    resumed.recordsInLog = log.records.size();
    if (!options.resume) return resumed;
    for (const auto &line : skippedTexts(log)) progress.say(line);
    size_t foreign = 0;
    std::map<std::string, size_t> otherTargets; // why their times do not count here
    for (size_t i = 0; i < log.records.size(); ++i) {
        if (!recordMatches(log.records[i], task)) {
            ++foreign;
            continue;
        }
        if (const auto target = targetMatches(log.records[i], task.target); !target) {
            ++otherTargets[target.why()];
            continue;
        }
        resumed.trials.push_back(log.records[i].trial);
        resumed.records.push_back(std::move(log.records[i]));
        resumed.numbers.push_back(i);
    }
    progress.say(fmt::format("resuming from {}: {} of this task{}", options.log,
                             countedText(resumed.trials.size(), "trial"),
                             foreign > 0 ? fmt::format(", {} of other tasks", foreign) : ""));
    for (const auto &[why, count] : otherTargets)
        progress.say(fmt::format("{}: {} of this workload {} left out: {}", options.log, countedText(count, "trial"),
                                 count == 1 ? "is" : "are", why));
    return resumed;
}

/// Where the record stands in the log now, `expected` unless something else was written there meanwhile.
size_t numberInLog(const TuneOptions &options, const Record &record, size_t expected) {
    if (options.log.empty() || !std::filesystem::is_regular_file(options.log)) return expected;
    const RecordLog log = loadRecordLog(options.log);
    const std::string name = recordName(record);
    const auto isIt = [&](size_t number) {
        return number < log.records.size() && log.records[number].trial.timestamp == record.trial.timestamp &&
               recordName(log.records[number]) == name;
    };
    if (isIt(expected)) return expected;
    for (size_t number = 0; number < log.records.size(); ++number)
        if (isIt(number)) return number;
    return expected;
}

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

/// Waits for what every kernel is checked against. False when interrupted.
bool prepare(Measurer &measurer, const TuneOptions &options) {
    try {
        return measurer.prepare(&g_control.cancelledFlag());
    } catch (const ReferenceTimeout &timeout) {
        const double limit = options.search.timeLimitSeconds;
        if (limit <= 0 || limit > MeasureOptions().referenceTimeout) throw;
        throw Error(fmt::format("tune: computing the reference answer, which every kernel is checked against, took "
                                "longer than --time-limit {:g}; give it more seconds, or choose smaller extents with "
                                "--param",
                                limit));
    }
}

struct Report {
    Json json;
    std::string text;
};

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
void describeLosses(Report &report, const SearchResult &result) {
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

Report describe(const Task &task, const TuneOptions &options, const std::string &workloadName,
                const SearchResult &result, const Resumed &resumed, const std::vector<size_t> &numbers,
                const Trial &naive) {
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

    Report report;
    report.json = {{"workload", workloadName}, {"key", task.key},           {"target", task.target.text()},
                   {"flops", flops},           {"trials", total},           {"resumed", resumed.trials.size()},
                   {"valid", valid},           {"failures", Json::object()}};
    for (const auto &[kind, count] : failures) report.json["failures"][kind] = count;
    report.text = fmt::format("{}: {}, {} verified", workloadName, countedText(total, "trial"), valid);
    for (const auto &[kind, count] : failures) report.text += fmt::format(", {} {}", count, kind);
    report.text += "\n";

    if (result.best) {
        const Trial &best = result.bestIsResumed ? resumed.trials[*result.best] : result.trials[*result.best];
        const size_t number = result.bestIsResumed ? resumed.numbers[*result.best] : numbers[*result.best];
        // The finalists' interleaved times were taken side by side; the logged ones minutes apart.
        const bool compared = result.bestTime.known();
        const double seconds = compared ? result.bestTime.seconds : best.cost();
        const auto speed = gigaflops(flops, seconds);
        report.json["best"] = {{"seconds", seconds},
                               {"gflops", speed ? Json(*speed) : Json(nullptr)},
                               {"record", number},
                               {"steps", Json::parse(stepsText(best.steps))}};
        if (compared) {
            report.json["best"]["seconds_low"] = result.bestTime.low;
            report.json["best"]["seconds_high"] = result.bestTime.high;
        }
        report.text +=
            fmt::format("best: {}{} (record {})\n", compared ? intervalText(result.bestTime) : timeText(seconds),
                        speedText(flops, seconds), number);
        if (naiveTime.known() && compared)
            report.text += fmt::format("naive kernel: {}, {}\n", intervalText(naiveTime),
                                       comparedWithBest(naiveTime, result.bestTime));
        else if (naive.valid())
            report.text += fmt::format("naive kernel: {}, measured before the search{}\n", timeText(naive.cost()),
                                       naive.unstable ? ", unstable" : "");
        report.text += compareAgainText(result.bestTime, options.log, total);
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
    if (!options.log.empty()) {
        report.json["log"] = options.log;
        report.text += fmt::format("log: {}\n", options.log);
    }
    return report;
}

/// Why the search did not do what was asked for; empty when it did.
std::string problemOf(const SearchResult &result, const Resumed &resumed, const TuneOptions &options) {
    size_t verified = 0;
    for (const auto *trials : {&resumed.trials, &result.trials})
        verified += static_cast<size_t>(
            std::count_if(trials->begin(), trials->end(), [](const Trial &trial) { return trial.valid(); }));
    const size_t measured = resumed.trials.size() + result.trials.size();
    const char *kept = options.log.empty() || measured == 0 ? "" : "; the log keeps them, --resume continues";
    if (g_control.cancelled())
        return fmt::format("tune: interrupted after {} of {}{}{}", measured,
                           countedText(static_cast<size_t>(options.search.trials), "trial"),
                           measured > 0 && verified == 0 ? ", none of them valid" : "", kept);
    if (result.best) return {};
    if (!result.cancelled) return "tune: no candidate was valid; the reasons are in the log and above";
    return fmt::format("tune: --time-limit {:g} ended the search before any candidate was valid{}; give it more "
                       "seconds, or 0 for no limit",
                       options.search.timeLimitSeconds,
                       measured > 0 ? fmt::format(" ({} failed)", measured) : std::string());
}

} // namespace

int runTune(const TuneOptions &options) {
    if (options.resume && options.log.empty()) throw UsageError("--resume needs --log FILE, the log to continue from");
    LoadedTask loaded = loadTask(options.workload);
    loaded.task.layoutRewrite = static_cast<LayoutRewrite>(options.layoutRewrite);
    const Task &task = loaded.task;
    if (task.target.isGpu())
        throw Error("tune: searching for CUDA needs a GPU runner, which this version does not have; use --target llvm");

    Progress progress(task.dag->flops());
    const std::unique_ptr<RecordWriter> writer = openLog(options, progress);
    Resumed resumed = loadResumed(options, task, progress);
    TuneObserver observer(task, writer.get(), resumed.recordsInLog, progress);

    MeasureOptions measureOptions;
    measureOptions.buildWorkers = options.search.threads;
    measureOptions.seed = options.search.seed;
    const double limit = options.search.timeLimitSeconds;
    if (limit > 0) measureOptions.referenceTimeout = std::min(limit, measureOptions.referenceTimeout);
    StopWatch watch(g_control, limit); // of everything: reference, naive kernel, search
    watch.found();                     // only the search may take longer for want of a valid trial
    const std::unique_ptr<Measurer> measurer = makeWorkerMeasurer(task, measureOptions);

    struct sigaction action{};
    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before{};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr); // nohup goes on without its terminal

    progress.say(
        fmt::format("{}: {}, target {}", loaded.workload.name, flopsText(task.dag->flops()), task.target.text()));
    progress.phase("computing the reference answer");
    const bool prepared = prepare(*measurer, options);
    progress.phase("measuring the naive kernel");
    Trial naive;
    naive.error = TrialError::Unknown;
    naive.reason = "interrupted";
    if (prepared)
        measurer->measure({Steps{}}, [&](size_t, const Trial &trial) { naive = trial; }, {.cancel = &watch.stopped});
    if (watch.stopped && !g_control.cancelled() && !naive.valid()) naive.reason = "the time limit came first";

    std::unique_ptr<CostModel> model;
    if (options.search.randomModel) {
        model = makeRandomModel(options.search.seed);
    } else {
        XgboostOptions xgboost;
        xgboost.seed = options.search.seed + 43;
        model = makeXgboostModel(xgboost);
    }
    SearchOptions search = options.search;
    if (naive.valid()) search.naiveSeconds = naive.cost();
    search.spentSeconds = watch.elapsed();
    const SearchResult result = tune(task, search, *measurer, *model, resumed.trials, observer, &g_control);
    if (writer && result.best) {
        const size_t before = resumed.records.size();
        const auto recordOf = [&](size_t trial) {
            return trial < before ? resumed.records[trial] : makeRecord(task, result.trials[trial - before]);
        };
        const size_t winner = *result.best + (result.bestIsResumed ? 0 : before);
        const Record best = recordOf(winner);
        if (result.bestTime.known())
            writer->appendVerdict(best, result.bestTime,
                                  runnerUp(result.compared, static_cast<int>(winner), [&](int trial) {
                                      return recordName(recordOf(static_cast<size_t>(trial)));
                                  }));
        size_t &number = result.bestIsResumed ? resumed.numbers[*result.best] : observer.recordNumbers[*result.best];
        number = numberInLog(options, best, number);
    }
    Report report = describe(task, options, loaded.workload.name, result, resumed, observer.recordNumbers, naive);
    const std::string problem = problemOf(result, resumed, options);
    if (!problem.empty()) report.json["error"] = problem;
    const std::string out =
        options.workload.json ? report.json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" : report.text;
    writeOutput(out);
    if (!problem.empty()) throw ReportedError(problem);
    return 0;
}

} // namespace loopscope
