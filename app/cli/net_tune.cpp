// `net tune`: all tasks of a network in one search.

#include "choice.h"
#include "interrupt.h"
#include "measure/worker_crew.h"
#include "net_parts.h"
#include "network/search_tasks.h"
#include "output.h"
#include "progress.h"
#include "record/record_writer.h"
#include "resumed_trials.h"
#include "search/stop_watch.h"
#include "search/tuner.h"
#include "task_order_choice.h"
#include "timing/machine_peaks.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

SearchControl g_netControl;

void onNetInterrupt(int) {
    if (g_netControl.cancelled()) _exit(130);
    g_netControl.cancel();
}

struct NetworkSearch {
    PreparedNetwork network;
    std::vector<SearchedTask> tasks;
    std::vector<ResumedTrials> resumed;
};

/// Logs trials and picks as they come.
class NetTuneObserver final : public SearchObserver {
  public:
    NetTuneObserver(const NetworkSearch &search, RecordWriter &writer, Progress &progress)
        : m_search(search), m_writer(writer), m_progress(progress) {}
    void on(const SearchEvent &event) override {
        if (const auto *finished = std::get_if<TrialFinished>(&event))
            m_writer.append(makeRecord(m_search.tasks[static_cast<size_t>(finished->task)].task, finished->trial));
        else if (const auto *picked = std::get_if<TaskPicked>(&event))
            m_writer.appendRemark(
                fmt::format("next: {}, as {}", m_search.tasks[static_cast<size_t>(picked->task)].name, picked->why));
        m_progress.on(event);
    }

  private:
    const NetworkSearch &m_search;
    RecordWriter &m_writer;
    Progress &m_progress;
};

/// What the log has of the tasks; without --resume it may have none, or a search would begin where one was.
void resumeAll(const NetOptions &options, NetworkSearch &search, Progress &progress) {
    search.resumed.resize(search.tasks.size());
    if (!std::filesystem::is_regular_file(options.log)) return;
    if (!options.resume) return;
    const RecordLog log = loadRecordLog(options.log);
    for (const std::string &line : skippedTexts(log)) progress.say(line);
    size_t trials = 0;
    for (size_t i = 0; i < search.tasks.size(); ++i) {
        for (const std::string &note : resumeTask(search.tasks[i].task, log, search.resumed[i]))
            progress.say(search.tasks[i].name + ": " + note);
        trials += search.resumed[i].trials.size();
    }
    progress.say(fmt::format("resuming from {}: {} of these tasks", options.log, countedText(trials, "trial")));
}

/// The best of each task goes to the log as what it is.
void writeVerdict(const NetworkSearch &search, size_t i, const SearchResult &result, RecordWriter &writer) {
    if (!result.best || !result.bestTime.known()) return;
    const ResumedTrials &resumed = search.resumed[i];
    const auto recordOf = [&](size_t trial) {
        return trial < resumed.records.size()
                   ? resumed.records[trial]
                   : makeRecord(search.tasks[i].task, result.trials[trial - resumed.records.size()]);
    };
    const size_t winner = *result.best + (result.bestIsResumed ? 0 : resumed.records.size());
    writer.appendVerdict(recordOf(winner), result.bestTime,
                         runnerUp(result.compared, static_cast<int>(winner),
                                  [&](int trial) { return recordName(recordOf(static_cast<size_t>(trial))); }));
}

double bestSeconds(const NetworkSearch &search, size_t i, const SearchResult &result) {
    if (!result.best) return -1;
    if (result.bestTime.known()) return result.bestTime.seconds;
    return (result.bestIsResumed ? search.resumed[i].trials[*result.best] : result.trials[*result.best]).cost();
}

void report(const NetOptions &options, const NetworkSearch &search, const std::vector<SearchResult> &results,
            double seconds) {
    Json tasks = Json::array();
    std::string text;
    double sum = 0;
    int trials = 0;
    std::vector<std::string> without;
    for (size_t i = 0; i < results.size(); ++i) {
        const SearchedTask &task = search.tasks[i];
        const double best = bestSeconds(search, i, results[i]);
        const size_t measured = results[i].trials.size();
        trials += static_cast<int>(measured);
        if (best < 0)
            without.push_back(task.name);
        else
            sum += task.weight * best;
        const double flops = task.task.dag->flops();
        tasks.push_back({{"name", task.name},
                         {"key", task.task.key},
                         {"weight", task.weight},
                         {"flops", flops},
                         {"trials", measured},
                         {"resumed", search.resumed[i].trials.size()},
                         {"seconds", best >= 0 ? Json(best) : Json(nullptr)},
                         {"floor_seconds", task.floorSeconds}});
        text += fmt::format("{:3g} x {}: {}, {} of its roofline, {}\n", task.weight, task.name,
                            best >= 0 ? timeText(best) + speedText(flops, best) : "no valid kernel",
                            best > 0 ? fmt::format("{:.0f} %", 100 * task.floorSeconds / best) : "nothing",
                            countedText(measured, "trial"));
    }
    text += fmt::format("kernels of all tasks: {}; {} in {:.0f} s; log: {}\n", timeText(sum),
                        countedText(static_cast<size_t>(trials), "trial"), seconds, options.log);
    Json json = {{"tasks", tasks},     {"seconds", sum},
                 {"trials", trials},   {"search_seconds", seconds},
                 {"log", options.log}, {"cancelled", g_netControl.cancelled()}};
    std::string problem;
    if (g_netControl.cancelled())
        problem = fmt::format("net tune: interrupted after {}; --resume continues",
                              countedText(static_cast<size_t>(trials), "trial"));
    else if (!without.empty())
        problem = fmt::format("net tune: no candidate of {} was valid{}; the reasons are in the log",
                              fmt::join(without, ", "),
                              options.timeLimitSeconds > 0 || options.totalTrials > 0 ? ", or none was measured" : "");
    if (!problem.empty()) json["error"] = problem;
    writeResult(options, json, text);
    if (!problem.empty()) throw ReportedError(problem);
}

} // namespace

int netTune(const NetOptions &options) {
    if (options.resume && access(options.log.c_str(), F_OK) != 0)
        throw Error(options.log, 0, 0, "there is no log to resume from; without --resume a new one is started");
    const Target target = networkTarget(options);
    NetworkSearch search;
    search.network = prepareNetwork(networkChoice(options));
    sayNotes(search.network.notes);
    const auto peaks = measureMachinePeaks(target);
    std::optional<MachinePeaks> known;
    if (peaks) known = *peaks;
    auto tasks = searchedTasks(search.network.tasks, target, known, options.tasks);
    if (!tasks) throw UsageError("--task: " + tasks.why());
    search.tasks = std::move(tasks).value();
    if (search.tasks.empty()) throw Error(options.file, 0, 0, "no kernel of this network is worth a search");
    std::vector<ProgressTask> shown;
    for (const SearchedTask &task : search.tasks) shown.push_back({task.name, task.task.dag->flops()});
    Progress progress(shown);
    RecordWriter writer(options.log, [&](const std::string &sentence) { progress.say(sentence); });
    resumeAll(options, search, progress);

    MeasureOptions measure;
    measure.seed = options.seed;
    StopWatch watch(g_netControl, options.timeLimitSeconds);
    endOnSignals(onNetInterrupt);
    const auto crew = std::make_shared<WorkerCrew>(measure);
    XgboostOptions xgboost;
    xgboost.seed = options.seed + 43;
    const std::unique_ptr<CostModel> model = makeXgboostModel(xgboost);
    SearchOptions each;
    each.trials = options.trials;
    each.seed = options.seed;
    std::vector<std::unique_ptr<Measurer>> measurers;
    std::vector<TaskJob> jobs;
    for (size_t i = 0; i < search.tasks.size(); ++i) {
        const SearchedTask &task = search.tasks[i];
        measurers.push_back(makeCrewMeasurer(crew, task.task));
        jobs.push_back({task.task, each, *measurers.back(), *model, search.resumed[i].trials, task.weight});
        jobs.back().floorSeconds = task.floorSeconds;
    }
    progress.say(fmt::format("{}: {} kernels, {} tasks, target {}", search.network.imported.name,
                             search.network.partition.kernels.size(), search.tasks.size(), target.text()));
    const auto order = makeTaskOrder(options.taskOrder, options.seed);
    NetTuneObserver observer(search, writer, progress);
    const std::vector<SearchResult> results = tuneTasks(
        jobs, {options.timeLimitSeconds, watch.elapsed(), 0, options.totalTrials}, *order, observer, &g_netControl);
    for (size_t i = 0; i < results.size(); ++i) writeVerdict(search, i, results[i], writer);
    report(options, search, results, watch.elapsed());
    return 0;
}

} // namespace loopscope
