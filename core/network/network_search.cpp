#include "network/network_search.h"

#include "cost/cost_model.h"
#include "measure/worker_pool.h"
#include "search/task_order_choice.h"

#include <fmt/format.h>
#include <set>
#include <variant>

namespace loopscope {

namespace {

/// Logs trials and picks before it hands them on.
class LoggingObserver final : public SearchObserver {
  public:
    LoggingObserver(const NetworkSearch &search, RecordWriter &writer, SearchObserver &observer)
        : m_search(search), m_writer(writer), m_observer(observer) {}
    void on(const SearchEvent &event) override {
        if (const auto *finished = std::get_if<TrialFinished>(&event))
            m_writer.append(makeRecord(m_search.tasks[static_cast<size_t>(finished->task)].task, finished->trial));
        else if (const auto *picked = std::get_if<TaskPicked>(&event))
            m_writer.appendRemark(
                fmt::format("next: {}, as {}", m_search.tasks[static_cast<size_t>(picked->task)].name, picked->why));
        else if (const auto *note = std::get_if<SearchNote>(&event))
            m_writer.appendRemark(
                fmt::format("{}: {}", m_search.tasks[static_cast<size_t>(note->task)].name, note->sentence));
        m_observer.on(event);
    }

  private:
    const NetworkSearch &m_search;
    RecordWriter &m_writer;
    SearchObserver &m_observer;
};

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

} // namespace

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

std::vector<SearchResult> tuneNetwork(const NetworkSearch &search, const NetworkSearchOptions &options,
                                      RecordWriter &writer, SearchObserver &observer, SearchControl &control) {
    XgboostOptions xgboost;
    xgboost.seed = options.seed + 43;
    const std::unique_ptr<CostModel> model = makeXgboostModel(xgboost);
    SearchOptions each;
    each.trials = options.trials;
    each.trialsPerRound = options.trialsPerRound;
    each.seed = options.seed;
    MeasureOptions measure;
    measure.seed = options.seed;
    measure.sampling.weightBytes = search.weightBytes;
    const auto pool = options.makeMeasurer ? nullptr : std::make_shared<WorkerPool>(measure);
    std::vector<std::unique_ptr<Measurer>> measurers;
    std::vector<TaskJob> jobs;
    for (size_t i = 0; i < search.tasks.size(); ++i) {
        const SearchedTask &task = search.tasks[i];
        measurers.push_back(pool ? makePoolMeasurer(pool, task.task) : options.makeMeasurer(task));
        jobs.push_back({task.task, each, *measurers.back(), *model, search.resumed[i].trials, task.weight});
        jobs.back().floorSeconds = task.floorSeconds;
    }
    const std::unique_ptr<TaskOrder> order = makeTaskOrder(options.order, options.seed);
    LoggingObserver logging(search, writer, observer);
    std::vector<SearchResult> results =
        tuneTasks(jobs, {options.timeLimitSeconds, options.spentSeconds, 0, options.totalTrials, search.groups}, *order,
                  logging, &control);
    for (size_t i = 0; i < results.size(); ++i) writeVerdict(search, i, results[i], writer);
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
