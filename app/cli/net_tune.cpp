// `net tune`: all tasks of a network in one search.

#include "choice.h"
#include "interrupt.h"
#include "net_parts.h"
#include "network/network_search.h"
#include "output.h"
#include "progress.h"
#include "search/stop_watch.h"
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

class ProgressObserver final : public SearchObserver {
  public:
    explicit ProgressObserver(Progress &progress) : m_progress(progress) {}
    void on(const SearchEvent &event) override { m_progress.on(event); }

  private:
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
    for (const std::string &note : resumeTasks(search, log)) progress.say(note);
    for (const ResumedTrials &resumed : search.resumed) trials += resumed.trials.size();
    progress.say(fmt::format("resuming from {}: {} of these tasks", options.log, countedText(trials, "trial")));
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
        const double best = bestSeconds(search, i, results[i]).value_or(-1);
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
    NetworkChoice choice = networkChoice(options);
    choice.strategies = strategiesOf(options);
    choice.layouts = layoutsOf(options);
    const PreparedNetwork network = prepareNetwork(choice);
    requireNumbers(network, options);
    sayNotes(network.notes);
    NetworkSearch search;
    const auto peaks = measureMachinePeaks(target);
    std::optional<MachinePeaks> known;
    if (peaks) known = *peaks;
    auto tasks = searchedTasks(network.tasks, target, known, options.tasks);
    if (!tasks) throw UsageError("--task: " + tasks.why());
    search.tasks = std::move(tasks).value();
    if (search.tasks.empty()) throw Error(options.file, 0, 0, "no kernel of this network is worth a search");
    std::vector<ProgressTask> shown;
    for (const SearchedTask &task : search.tasks) shown.push_back({task.name, task.task.dag->flops()});
    Progress progress(shown);
    RecordWriter writer(options.log, [&](const std::string &sentence) { progress.say(sentence); });
    resumeAll(options, search, progress);

    StopWatch watch(g_netControl, options.timeLimitSeconds);
    endOnSignals(onNetInterrupt);
    progress.say(fmt::format("{}: {} kernels, {} tasks, target {}", network.imported.name,
                             network.partition.kernels.size(), search.tasks.size(), target.text()));
    ProgressObserver observer(progress);
    NetworkSearchOptions how;
    how.trials = options.trials;
    how.totalTrials = options.totalTrials;
    how.timeLimitSeconds = options.timeLimitSeconds;
    how.spentSeconds = watch.elapsed();
    how.seed = options.seed;
    how.order = options.taskOrder;
    const std::vector<SearchResult> results = tuneNetwork(search, how, writer, observer, g_netControl);
    report(options, search, results, watch.elapsed());
    return 0;
}

} // namespace loopscope
