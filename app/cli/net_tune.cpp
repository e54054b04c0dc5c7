// `net tune`: all tasks of a network in one search.

#include "choice.h"
#include "deploy/network/alternative_tasks.h"
#include "fleet_runner.h"
#include "interrupt.h"
#include "measure/timing/machine_peaks.h"
#include "net_parts.h"
#include "output.h"
#include "progress.h"
#include "search/search_budget.h"
#include "workbench/network_search.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <unistd.h>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

/// What the log has of the tasks; without --resume it may have none, or a search would begin where one was.
void resumeAll(const NetTuneOptions &options, NetworkSearch &search, Progress &progress) {
    search.resumed.resize(search.tasks.size());
    if (!std::filesystem::is_regular_file(options.log)) return;
    if (!options.resume) return;
    const RecordLog log = loadRecordLog(options.log);
    if (options.weights.empty() && timedInNetwork(search, log) == false) {
        progress.say(
            fmt::format("{} was measured with weights in caches, and so are its next trials (--weights)", options.log));
        search.weightBytes = 0;
    }
    for (const std::string &line : skippedTexts(log)) progress.say(line);
    size_t trials = 0;
    for (const std::string &note : resumeTasks(search, log)) progress.say(note);
    for (const ResumedTrials &resumed : search.resumed) trials += resumed.trials.size();
    progress.say(fmt::format("resuming from {}: {} of these tasks", options.log, countedText(trials, "trial")));
}

/// "conv1 and 3 more like it".
std::string nodesText(const TaskChoiceGroup &group) {
    return group.node + (group.nodes > 1 ? fmt::format(" and {} more like it", group.nodes - 1) : "");
}

/// What the network takes instead of a form that is behind: "; not taken, conv2d_nchw.x86 of conv1 is 3 us faster".
std::string betterText(const NetworkSearch &search, const std::vector<FormStanding> &forms) {
    const FormStanding *nearest = nearestForm(forms);
    if (nearest == nullptr || nearest->behind <= 0) return {};
    const TaskChoiceGroup &group = search.groups[nearest->group];
    return fmt::format("; not taken, {} of {} is {} faster", group.arms[*nearest->leading].name, nodesText(group),
                       timeText(nearest->behind));
}

/// "conv1 and 3 more like it: conv2d_nchw.x86 (conv_relu) or conv2d_nchw_winograd4.x86 (winograd_conv_relu)".
std::string formsText(const NetworkSearch &search, const TaskChoiceGroup &group) {
    std::vector<std::string> forms;
    for (const ChoiceArm &arm : group.arms)
        forms.push_back(fmt::format("{} ({})", arm.name, search.tasks[arm.tasks.front()].name));
    return fmt::format("{}: {}", nodesText(group), fmt::join(forms, " or "));
}

void report(const NetTuneOptions &options, const NetworkSearch &search, const std::vector<SearchResult> &results,
            double seconds) {
    Json tasks = Json::array();
    std::string text;
    double sum = 0;
    int trials = 0;
    std::vector<std::string> without;
    const std::vector<TaskStanding> standings = finalStandings(search, results);
    const std::vector<std::vector<FormStanding>> forms = formStandings(search.groups, standings);
    for (size_t i = 0; i < results.size(); ++i) {
        const SearchedTask &task = search.tasks[i];
        const double best = bestSeconds(search, i, results[i]).value_or(-1);
        const size_t measured = results[i].trials.size();
        trials += static_cast<int>(measured);
        const double behind = standings[i].behind;
        if (best < 0)
            without.push_back(task.name);
        else if (behind <= 0)
            sum += task.weight * best;
        const double flops = task.task.dag->flops();
        tasks.push_back({{"name", task.name},
                         {"key", task.task.key},
                         {"weight", task.weight},
                         {"flops", flops},
                         {"trials", measured},
                         {"resumed", search.resumed[i].trials.size()},
                         {"seconds", best >= 0 ? Json(best) : Json(nullptr)},
                         {"floor_seconds", task.floorSeconds},
                         {"behind_seconds", behind}});
        text += fmt::format("{:3g} x {}: {}, {} of its roofline, {}{}\n", task.weight, task.name,
                            best >= 0 ? timeText(best) + speedText(flops, best) : "no valid kernel",
                            best > 0 ? fmt::format("{:.0f} %", 100 * task.floorSeconds / best) : "nothing",
                            countedText(measured, "trial"), betterText(search, forms[i]));
    }
    Json groups = Json::array();
    for (const TaskChoiceGroup &group : search.groups) {
        Json arms = Json::array();
        for (const ChoiceArm &arm : group.arms) {
            const double seconds = armSeconds(arm, standings);
            arms.push_back({{"name", arm.name},
                            {"task", search.tasks[arm.tasks.front()].name},
                            {"seconds", std::isfinite(seconds) ? Json(seconds) : Json(nullptr)}});
        }
        const auto winner = leadingArm(group, standings);
        groups.push_back({{"node", group.node},
                          {"nodes", group.nodes},
                          {"forms", std::move(arms)},
                          {"fastest", winner ? Json(group.arms[*winner].name) : Json(nullptr)}});
        if (winner)
            text += fmt::format("{}: {} is the fastest of {}\n", nodesText(group), group.arms[*winner].name,
                                group.arms.size());
    }
    text += fmt::format("kernels of all tasks: {}; {} in {:.0f} s; log: {}\n", timeText(sum),
                        countedText(static_cast<size_t>(trials), "trial"), seconds, options.log);
    text += "`net build` with --log and --alternatives 12 chooses among the best of them inside the network\n";
    Json json = {{"tasks", tasks},
                 {"choices", groups},
                 {"seconds", sum},
                 {"trials", trials},
                 {"search_seconds", seconds},
                 {"log", options.log},
                 {"cancelled", searchControl().cancelled()}};
    std::string problem;
    if (searchControl().cancelled())
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

int netTune(const NetTuneOptions &options) {
    if (options.resume && access(options.log.c_str(), F_OK) != 0)
        throw Error(options.log, 0, 0, "there is no log to resume from; without --resume a new one is started");
    const RunnerChoice runner{options.runner, 0, {}};
    if (!runner.runner.empty() && !runner.slurm())
        throw UsageError(fmt::format("--runner {}: 'slurm[:nodes=N,...]' is legal; without it this machine measures",
                                     runner.runner));
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
    AlternativeTasks alternatives;
    if (const auto tried = triedStrategies(options)) {
        ThreadPool pool(0);
        auto found = alternativeTasks(network.optimised.main(), *tried, pool);
        if (!found) throw Error(options.file, 0, 0, found.why());
        alternatives = std::move(found).value();
    }
    auto tasks =
        searchedTasks(alternatives.tasks.empty() ? network.tasks : alternatives.tasks, target, known, options.tasks);
    if (!tasks) throw UsageError("--task: " + tasks.why());
    search.tasks = std::move(tasks).value();
    search.groups = searchedGroups(alternatives, search.tasks);
    if (search.tasks.empty()) throw Error(options.file, 0, 0, "no kernel of this network is worth a search");
    if (options.weights != "cached") search.weightBytes = weightBytesOf(network.optimised.main());
    std::vector<ProgressTask> shown;
    for (const SearchedTask &task : search.tasks) shown.push_back({task.name, task.task.dag->flops()});
    Progress progress(shown);
    const auto log = TrialLog::open(options.log, [&](const std::string &sentence) { progress.say(sentence); });
    resumeAll(options, search, progress);

    SearchBudget watch(searchControl(), options.timeLimitSeconds);
    cancelOnSignals();
    progress.say(fmt::format("{}: {} kernels, {} tasks, target {}", network.imported.name,
                             network.partition.kernels.size(), search.tasks.size(), target.text()));
    NetworkSearchOptions how;
    how.trials = options.trials;
    how.totalTrials = options.totalTrials;
    how.timeLimitSeconds = options.timeLimitSeconds;
    how.spentSeconds = watch.elapsed();
    how.seed = options.seed;
    how.order = options.taskOrder;
    for (const TaskChoiceGroup &group : search.groups) progress.say(formsText(search, group));
    std::shared_ptr<Fleet> fleet;
    const TellFleet tell = [&](const std::string &sentence) { progress.say(sentence); };
    if (runner.slurm()) {
        MeasureOptions measure;
        measure.seed = options.seed;
        measure.sampling.weightBytes = search.weightBytes;
        fleet = slurmFleet(runner, target, measure, tell, &searchControl().cancelledFlag());
        if (!fleet) throw ReportedError("net tune: interrupted while it waited for nodes; no job is left");
        how.makeMeasurer = [fleet](const SearchedTask &task) { return makeFleetMeasurer(fleet, task.task, task.name); };
    }
    const std::vector<SearchResult> results =
        tuneNetwork(search, how, *log, [&](const SearchEvent &event) { progress.on(event); }, searchControl());
    if (fleet) tellNodes(*fleet, tell);
    report(options, search, results, watch.elapsed());
    return 0;
}

} // namespace loopscope
