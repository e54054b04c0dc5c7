#include "workbench/tuning_run.h"

#include "records/bundle/bundle_measurer.h"
#include "records/record/known_records.h"
#include "search/cost/cost_model.h"
#include "search/naive_schedule.h"

#include <fmt/format.h>
#include <variant>

namespace loopscope {

namespace {

/// One for all tasks: their features mean the same.
std::unique_ptr<CostModel> modelOf(const SearchOptions &options) {
    if (options.randomModel) return makeRandomModel(options.seed);
    XgboostOptions xgboost;
    xgboost.seed += options.seed;
    return makeXgboostModel(xgboost);
}

Record recordOf(const TuningTask &task, const Trial &trial) {
    Record record = makeRecord(task.task, trial);
    // A fleet says it of every trial, a bundle of all of them.
    if (std::string machine = task.measurer.machine(); !machine.empty()) record.machine = std::move(machine);
    return record;
}

class LoggingObserver final : public SearchObserver {
  public:
    LoggingObserver(const std::vector<TuningTask> &tasks, std::vector<TunedResult> &results, TrialLog &log,
                    const OnSearchEvent &onEvent, bool remarks)
        : m_tasks(tasks), m_results(results), m_log(log), m_onEvent(onEvent), m_remarks(remarks) {}
    void on(const SearchEvent &event) override {
        if (const auto *finished = std::get_if<TrialFinished>(&event)) {
            const auto task = static_cast<size_t>(finished->task);
            m_results[task].records.push_back(m_log.append(recordOf(m_tasks[task], finished->trial)));
        } else if (const auto *picked = std::get_if<TaskPicked>(&event); picked != nullptr && m_remarks) {
            m_log.remark(fmt::format("next: {}, as {}", nameOf(picked->task), picked->why));
        } else if (const auto *note = std::get_if<SearchNote>(&event); note != nullptr && m_remarks) {
            m_log.remark(fmt::format("{}: {}", nameOf(note->task), note->sentence));
        }
        m_onEvent(event);
    }

  private:
    [[nodiscard]] const std::string &nameOf(int task) const { return m_tasks[static_cast<size_t>(task)].name; }

    const std::vector<TuningTask> &m_tasks;
    std::vector<TunedResult> &m_results;
    TrialLog &m_log;
    const OnSearchEvent &m_onEvent;
    bool m_remarks;
};

void writeVerdict(const TuningTask &task, const SearchResult &result, TrialLog &log) {
    if (!result.best || !result.bestTime.known()) return;
    const ResumedTrials &resumed = task.resumed;
    const size_t before = resumed.trials.size();
    if (result.bestIsResumed && resumed.numbers[*result.best] == ResumedTrials::kElsewhere) return;
    const size_t winner = *result.best + (result.bestIsResumed ? 0 : before);
    log.verdict(result.compared, static_cast<int>(winner), result.bestTime, [&](int number) {
        const auto trial = static_cast<size_t>(number);
        if (trial < before && resumed.hashes[trial] != 0) return recordName(resumed.hashes[trial]);
        return recordName(
            makeRecord(task.task, trial < before ? resumed.trials[trial] : result.trials[trial - before]));
    });
}

} // namespace

std::vector<TunedResult> runTuning(const std::vector<TuningTask> &tasks, const TuneTasksOptions &together,
                                   TaskOrder &order, TrialLog &log, const OnSearchEvent &onEvent,
                                   SearchControl &control, bool remarks) {
    std::vector<TunedResult> tuned(tasks.size());
    if (tasks.empty()) return tuned;
    const std::unique_ptr<CostModel> model = modelOf(tasks.front().options);
    std::vector<TaskJob> jobs;
    for (const TuningTask &task : tasks)
        jobs.push_back({task.task, task.options, task.measurer, *model, task.resumed.trials, task.weight,
                        task.startFrom, task.floorSeconds});
    LoggingObserver logging(tasks, tuned, log, onEvent, remarks);
    std::vector<SearchResult> results = tuneTasks(jobs, together, order, logging, &control);
    for (size_t i = 0; i < tasks.size(); ++i) {
        tuned[i].search = std::move(results[i]);
        writeVerdict(tasks[i], tuned[i].search, log);
    }
    return tuned;
}

Trial measureNaive(Measurer &measurer, const Task &task, const MeasureWatch &watch) {
    Trial naive;
    naive.error = TrialError::Unknown;
    naive.reason = "interrupted";
    measurer.measure({naiveSteps(task)}, [&](size_t, const Trial &trial) { naive = trial; }, watch);
    return naive;
}

void takeRounds(Measurer &measurer, const Task &task, ResumedTrials &resumed, TrialLog &log, const MeasureWatch &watch,
                const std::function<void(const Trial &trial, size_t record)> &onTrial) {
    auto *bundles = dynamic_cast<BundleMeasurer *>(&measurer);
    if (bundles == nullptr) return;
    KnownRecords inLog(log.path());
    KnownRecords known;
    for (size_t i = 0; i < resumed.trials.size(); ++i) {
        uint64_t &hash = resumed.hashes[i];
        if (hash == 0) hash = recordHash(makeRecord(task, resumed.trials[i]));
        known.add(hash, resumed.trials[i], resumed.numbers[i]);
    }
    bundles->finishRounds(
        [&](const Trial &trial) {
            Record record = makeRecord(task, trial);
            record.machine = bundles->machine();
            for (double &seconds : record.trial.seconds) seconds = loggedSeconds(seconds);
            auto number = inLog.numberOf(record);
            if (!number) {
                number = log.append(record);
                inLog.add(record, *number);
            }
            if (known.numberOf(record)) return;
            known.add(record, *number);
            resumed.add(record.trial, recordHash(record), *number);
            onTrial(record.trial, *number);
        },
        watch);
}

} // namespace loopscope
