#include "workbench/network_search.h"

#include "measure/worker_pool.h"
#include "search/task_order_choice.h"

#include <set>

namespace loopscope {

std::vector<std::string> resumeTasks(NetworkSearch &search, const RecordLog &log) {
    search.resumed.assign(search.tasks.size(), {});
    std::vector<std::string> notes;
    for (size_t i = 0; i < search.tasks.size(); ++i)
        for (const std::string &note : resumeTask(search.tasks[i].task, log, search.resumed[i], search.weightBytes > 0))
            notes.push_back(search.tasks[i].name + ": " + note);
    return notes;
}

std::optional<bool> timedInNetwork(const NetworkSearch &search, const RecordLog &log) {
    std::set<std::string> keys;
    for (const SearchedTask &task : search.tasks) keys.insert(task.task.key);
    bool found[2] = {false, false};
    for (const Record &record : log.records)
        if (record.trial.valid() && keys.contains(record.key)) found[record.trial.weightBytes > 0 ? 1 : 0] = true;
    if (found[0] == found[1]) return std::nullopt;
    return found[1];
}

std::vector<SearchResult> tuneNetwork(const NetworkSearch &search, const NetworkSearchOptions &options, TrialLog &log,
                                      const OnSearchEvent &onEvent, SearchControl &control) {
    SearchOptions each;
    each.trials = options.trials;
    each.trialsPerRound = options.trialsPerRound;
    each.seed = options.seed;
    MeasureOptions measure;
    measure.seed = options.seed;
    measure.sampling.weightBytes = search.weightBytes;
    const auto pool = options.makeMeasurer ? nullptr : std::make_shared<WorkerPool>(measure);
    std::vector<std::unique_ptr<Measurer>> measurers;
    std::vector<TuningTask> tasks;
    for (size_t i = 0; i < search.tasks.size(); ++i) {
        const SearchedTask &task = search.tasks[i];
        measurers.push_back(pool ? makePoolMeasurer(pool, task.task) : options.makeMeasurer(task));
        tasks.push_back(
            {task.task, task.name, each, *measurers.back(), search.resumed[i], {}, task.weight, task.floorSeconds});
    }
    const std::unique_ptr<TaskOrder> order = makeTaskOrder(options.order, options.seed);
    const TuneTasksOptions together{options.timeLimitSeconds, options.spentSeconds, 0, options.totalTrials,
                                    search.groups};
    std::vector<SearchResult> results;
    for (TunedResult &tuned : runTuning(tasks, together, *order, log, onEvent, control, true))
        results.push_back(std::move(tuned.search));
    return results;
}

std::optional<double> bestSeconds(const NetworkSearch &search, size_t task, const SearchResult &result) {
    if (!result.best) return std::nullopt;
    if (result.bestTime.known()) return result.bestTime.seconds;
    return (result.bestIsResumed ? search.resumed[task].trials[*result.best] : result.trials[*result.best]).cost();
}

std::vector<TaskStanding> finalStandings(const NetworkSearch &search, const std::vector<SearchResult> &results) {
    std::vector<TaskStanding> standings;
    for (size_t i = 0; i < results.size(); ++i) {
        TaskStanding &standing = standings.emplace_back();
        standing.flops = search.tasks[i].task.dag->flops();
        standing.weight = search.tasks[i].weight;
        if (const auto best = bestSeconds(search, i, results[i])) standing.best = {*best};
    }
    compareArms(search.groups, standings);
    return standings;
}

} // namespace loopscope
