#include "tune_command.h"

#include "bundle_search.h"
#include "fleet_runner.h"
#include "interrupt.h"
#include "layout_search.h"
#include "measure/worker_pool.h"
#include "outcome.h"
#include "output.h"
#include "progress.h"
#include "record/record_writer.h"
#include "record/resumed_trials.h"
#include "search/alternative_order.h"
#include "search/naive_schedule.h"
#include "search/search_budget.h"
#include "search/target_rules.h"
#include "search/task_order_choice.h"
#include "search/tuner.h"
#include "search_start.h"
#include "tune_report.h"

#include <algorithm>
#include <atomic>
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
    TuneObserver(std::vector<TunedTask> &tasks, RecordWriter *writer, size_t recordsBefore, Progress &progress)
        : m_tasks(tasks), m_nextRecord(recordsBefore), m_progress(progress), m_writer(writer) {}
    void on(const SearchEvent &event) override {
        if (const auto *finished = std::get_if<TrialFinished>(&event)) {
            TunedTask &tuned = m_tasks[static_cast<size_t>(finished->task)];
            if (m_writer) {
                Record record = makeRecord(tuned.loaded.task, finished->trial);
                if (tuned.machine) record.machine = tuned.machine();
                m_writer->append(record);
            }
            tuned.recordNumbers.push_back(m_nextRecord++);
        }
        m_progress.on(event);
    }

  private:
    std::vector<TunedTask> &m_tasks;
    size_t m_nextRecord;
    Progress &m_progress;
    RecordWriter *m_writer;
};

/// Before anything slow, since the log may be in use. Null without a log.
std::unique_ptr<RecordWriter> openLog(const TuneOptions &options, Progress &progress) {
    if (options.log.empty()) return nullptr;
    if (options.resume && access(options.log.c_str(), F_OK) != 0)
        throw Error(options.log, 0, 0, "there is no log to resume from; without --resume a new one is started");
    return std::make_unique<RecordWriter>(options.log, [&](const std::string &sentence) { progress.say(sentence); });
}

/// How many records the log has; with --resume, those of the tasks are taken into them.
size_t readLog(const TuneOptions &options, std::vector<TunedTask> &tasks, Progress &progress) {
    if (options.log.empty() || !std::filesystem::is_regular_file(options.log)) return 0;
    const RecordLog log = loadRecordLog(options.log);
    if (!options.resume) return log.records.size();
    for (const auto &line : skippedTexts(log)) progress.say(line);
    const auto foreign = static_cast<size_t>(std::count_if(log.records.begin(), log.records.end(), [&](const auto &r) {
        return std::none_of(tasks.begin(), tasks.end(),
                            [&](const TunedTask &tuned) { return bool(recordMatches(r, tuned.loaded.task)); });
    }));
    std::string found;
    std::vector<std::string> notes;
    for (TunedTask &tuned : tasks) {
        const bool alone = tasks.size() == 1;
        for (const std::string &note : resumeTask(tuned.loaded.task, log, tuned.resumed))
            notes.push_back((alone ? "" : tuned.name + ": ") + note);
        found += fmt::format("{}{} of {}", found.empty() ? "" : ", ", countedText(tuned.resumed.trials.size(), "trial"),
                             alone ? "this task" : tuned.name);
    }
    progress.say(fmt::format("resuming from {}: {}{}", options.log, found,
                             foreign > 0 ? fmt::format(", {} of other tasks", foreign) : ""));
    for (const std::string &note : notes) progress.say(note);
    return log.records.size();
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

std::vector<TunedTask> loadTasks(const TuneOptions &options) {
    std::vector<TunedTask> tasks;
    for (const std::string &file : options.files) {
        WorkloadChoice choice = options.workload;
        choice.file = file;
        TunedTask tuned{loadTask(choice), {}, {}, {}, {}, {}, {}};
        tuned.loaded.task.layoutRewrite =
            static_cast<LayoutRewrite>(options.layoutRewrite.value_or(tuned.loaded.task.target.isGpu() ? 0 : 2));
        if (const auto lacking = whatSearchLacks(tuned.loaded.task.target.kind))
            throw Error(fmt::format("tune: {}; use --target llvm", lacking->sentence));
        for (size_t i = 0; i < tasks.size(); ++i)
            if (tasks[i].loaded.task.key == tuned.loaded.task.key)
                throw UsageError(fmt::format("{} and {} are the same task; name it once", options.files[i], file));
        tasks.push_back(std::move(tuned));
    }
    for (size_t i = 0; i < tasks.size(); ++i) {
        const std::string &name = tasks[i].loaded.workload.name;
        const bool shared = std::count_if(tasks.begin(), tasks.end(),
                                          [&](const auto &other) { return other.loaded.workload.name == name; }) > 1;
        tasks[i].name = shared ? options.files[i] : name;
    }
    return tasks;
}

/// Waits for what every kernel is checked against. False when interrupted, or when the time limit comes first; for the
/// `first` task that is a mistake to tell, while later ones may find it used up.
bool prepare(Measurer &measurer, const TuneOptions &options, const SearchBudget &watch, bool first) {
    const double limit = options.search.timeLimitSeconds;
    const auto tooShort = [&](const char *more) {
        return Error(
            fmt::format("tune: computing the reference answer, which every kernel is checked against, took "
                        "longer than --time-limit {:g}{}; give it more seconds, or choose smaller extents with "
                        "--param",
                        limit, more));
    };
    try {
        const bool prepared = measurer.prepare(&watch.stopped);
        if (!prepared && first && !g_control.cancelled()) throw tooShort(", with the wait for the machine");
        return prepared;
    } catch (const ReferenceTimeout &timeout) {
        if (limit <= 0 || limit > MeasureOptions().referenceTimeout) throw;
        throw tooShort("");
    }
}

/// The naive schedule's trial, before the search: what its kernels are compared with.
Trial measureNaive(Measurer &measurer, const Task &task, bool prepared, const SearchBudget &watch) {
    Trial naive;
    naive.error = TrialError::Unknown;
    naive.reason = "interrupted";
    if (prepared)
        measurer.measure({naiveSteps(task)}, [&](size_t, const Trial &trial) { naive = trial; },
                         {.cancel = &watch.stopped});
    if (watch.stopped && !g_control.cancelled() && !naive.valid()) naive.reason = "the time limit came first";
    return naive;
}

std::unique_ptr<CostModel> makeModel(const SearchOptions &options) {
    if (options.randomModel) return makeRandomModel(options.seed);
    XgboostOptions xgboost;
    xgboost.seed = options.seed + 43;
    return makeXgboostModel(xgboost);
}

std::unique_ptr<TaskOrder> orderOf(const TuneOptions &options) {
    if (!options.layouts.empty()) return makeAlternativeOrder({.seed = options.search.seed});
    return makeTaskOrder(options.taskOrder, options.search.seed);
}

/// The best goes to the log as what it is, with who came second; its number there is made sure of.
void writeBest(TunedTask &tuned, const TuneOptions &options, RecordWriter &writer) {
    const SearchResult &result = tuned.result;
    if (!result.best) return;
    const size_t before = tuned.resumed.records.size();
    const auto recordOf = [&](size_t trial) {
        return trial < before ? tuned.resumed.records[trial]
                              : makeRecord(tuned.loaded.task, result.trials[trial - before]);
    };
    const size_t winner = *result.best + (result.bestIsResumed ? 0 : before);
    const Record best = recordOf(winner);
    if (result.bestTime.known())
        writer.appendVerdict(best, result.bestTime, runnerUp(result.compared, static_cast<int>(winner), [&](int trial) {
                                 return recordName(recordOf(static_cast<size_t>(trial)));
                             }));
    size_t &number = result.bestIsResumed ? tuned.resumed.numbers[*result.best] : tuned.recordNumbers[*result.best];
    number = numberInLog(options, best, number);
}

/// Of each task what its candidates are measured with.
std::vector<std::unique_ptr<Measurer>> measurersOf(const TuneOptions &options, std::vector<TunedTask> &tasks,
                                                   const MeasureOptions &measureOptions, Progress &progress,
                                                   const std::shared_ptr<Fleet> &fleet) {
    if (options.runner.bundled()) return bundleMeasurers(options, tasks, progress);
    if (fleet) {
        std::vector<std::unique_ptr<Measurer>> measurers;
        for (const TunedTask &tuned : tasks) measurers.push_back(makeFleetMeasurer(fleet, tuned.loaded.task));
        return measurers;
    }
    const auto pool = std::make_shared<WorkerPool>(measureOptions);
    std::vector<std::unique_ptr<Measurer>> measurers;
    for (const TunedTask &tuned : tasks) measurers.push_back(makePoolMeasurer(pool, tuned.loaded.task));
    return measurers;
}

void reportAlternatives(const std::vector<TunedTask> &tasks, const LayoutSearch &layouts,
                        const std::vector<TimeInterval> &inTurn, const TuneOptions &options) {
    std::vector<const TunedTask *> all;
    for (const TunedTask &tuned : tasks) all.push_back(&tuned);
    TuneReport whole = describeAlternatives(tasks, layouts, inTurn, options.log);
    const std::string problem = tuneProblem(all, options.search, options.log, g_control.cancelled(), true);
    if (!problem.empty()) whole.json["error"] = problem;
    writeOutput(options.workload.json ? whole.json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"
                                      : whole.text);
    if (!problem.empty()) throw ReportedError(problem);
}

/// Of one task one object, of several an array. Throws what is wrong with them.
void report(const std::vector<TunedTask> &tasks, const TuneOptions &options) {
    Json json = Json::array();
    std::string text;
    std::vector<const TunedTask *> all;
    for (size_t i = 0; i < tasks.size(); ++i) {
        all.push_back(&tasks[i]);
        TuneReport one = describe(tasks[i], options.log);
        if (tasks.size() > 1) one.json["file"] = options.files[i];
        const std::string problem = tuneProblem({&tasks[i]}, options.search, options.log, g_control.cancelled());
        if (!problem.empty()) one.json["error"] = problem;
        json.push_back(std::move(one.json));
        text += (text.empty() ? "" : "\n") + one.text;
    }
    if (tasks.size() == 1) json = Json(json.front());
    writeOutput(options.workload.json ? json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" : text);
    const std::string problem = tuneProblem(all, options.search, options.log, g_control.cancelled());
    if (!problem.empty()) throw ReportedError(problem);
}

} // namespace

int runTune(const TuneOptions &options) {
    if (!options.startFrom.empty() && options.files.size() > 1)
        throw UsageError("--start-from is a schedule of one workload; search the others on their own");
    if (!options.group.empty() && options.files.size() > 1)
        throw UsageError("--group names stages of one workload; search the others on their own");
    if (!options.locks.empty() && options.files.size() > 1)
        throw UsageError("--lock is about a schedule of one workload; search the others on their own");
    const bool startsSomewhere =
        !options.startFrom.empty() || !options.locks.empty() || !options.group.empty() || options.grouping.given();
    checkBundleOptions(options.runner);
    checkLayoutOptions(options);
    if (options.resume && options.log.empty()) throw UsageError("--resume needs --log FILE, the log to continue from");
    std::vector<TunedTask> tasks = loadTasks(options);
    const bool tryLayouts = !options.layouts.empty();
    LayoutSearch layouts = tryLayouts ? addLayoutTasks(options, tasks) : LayoutSearch();
    MeasureOptions measureOptions;
    measureOptions.buildWorkers = options.search.threads;
    measureOptions.seed = options.search.seed;
    if (!options.runner.bundled() && !options.runner.slurm())
        for (const TunedTask &tuned : tasks) applyRunner(options.runner, tuned.loaded.task.target, measureOptions);
    std::vector<ProgressTask> shown;
    for (const TunedTask &tuned : tasks) shown.push_back({tuned.name, tuned.loaded.task.dag->flops()});
    // A schedule that does not apply is told before anything is measured.
    const SearchStart start = startsSomewhere ? searchStart(options, tasks.front().loaded) : SearchStart();
    Progress progress(shown);
    const std::unique_ptr<RecordWriter> writer = openLog(options, progress);
    writeLaidOut(options, layouts);
    for (const std::string &note : layouts.notes) progress.say(note);
    size_t records = readLog(options, tasks, progress);

    const double limit = options.search.timeLimitSeconds;
    if (limit > 0) measureOptions.referenceTimeout = std::min(limit, measureOptions.referenceTimeout);
    SearchBudget watch(g_control, limit); // of everything: reference, naive kernel, search
    watch.found();                        // only the search may take longer for want of a valid trial
    endOnSignals(onInterrupt);
    const TellFleet tell = [&](const std::string &sentence) { progress.say(sentence); };
    const std::shared_ptr<Fleet> fleet = options.runner.slurm()
                                             ? slurmFleet(options.runner, tasks.front().loaded.task.target,
                                                          measureOptions, tell, &g_control.cancelledFlag())
                                             : nullptr;
    if (options.runner.slurm() && !fleet) throw ReportedError("interrupted while it waited for nodes; no job is left");
    const std::vector<std::unique_ptr<Measurer>> measurers =
        measurersOf(options, tasks, measureOptions, progress, fleet);
    for (size_t i = 0; options.runner.bundled() && i < tasks.size(); ++i)
        records = takeBundleRounds(options, tasks[i], *measurers[i], writer.get(), records, progress, watch.stopped);
    TuneObserver observer(tasks, writer.get(), records, progress);

    // One model for all: their features mean the same, since all are for one target.
    const std::unique_ptr<CostModel> model = makeModel(options.search);
    std::vector<TaskJob> jobs;
    for (size_t i = 0; i < tasks.size(); ++i) {
        const Task &task = tasks[i].loaded.task;
        progress.say(fmt::format("{}: {}, target {}", tasks[i].name, flopsText(task.dag->flops()), task.target.text()));
        progress.phase("computing the reference answer");
        const bool prepared = prepare(*measurers[i], options, watch, i == 0);
        if (options.runner.executor()) { // one thread of one block would take longer than the search
            tasks[i].naive.error = TrialError::Unknown;
            tasks[i].naive.reason = "the executor times nothing";
        } else if (options.runner.bundled()) { // a round trip for it alone, and on GPUs there is none
            tasks[i].naive.error = TrialError::Unknown;
            tasks[i].naive.reason = "bundles hold candidates of the search alone";
        } else {
            progress.phase("measuring the naive kernel");
            tasks[i].naive = measureNaive(*measurers[i], task, prepared, watch);
        }
        SearchOptions search = tryLayouts ? alternativeOptions(options.search, tasks.size()) : options.search;
        if (tasks[i].naive.valid()) search.naiveSeconds = tasks[i].naive.cost();
        search.locks = start.locks;
        jobs.push_back({task, search, *measurers[i], *model, tasks[i].resumed.trials});
        jobs.back().startFrom = start.schedules;
    }
    const auto order = orderOf(options);
    const TuneTasksOptions together{limit, watch.elapsed(), options.search.threads,
                                    tryLayouts ? options.search.trials : 0};
    std::vector<SearchResult> results = tuneTasks(jobs, together, *order, observer, &g_control);
    if (fleet) tellNodes(*fleet, tell);
    for (size_t i = 0; i < tasks.size(); ++i) {
        tasks[i].result = std::move(results[i]);
        if (writer) writeBest(tasks[i], options, *writer);
    }
    if (tryLayouts) {
        progress.phase("comparing the alternatives, in turn");
        reportAlternatives(tasks, layouts, compareAlternatives(tasks, measurers, g_control), options);
    } else {
        report(tasks, options);
    }
    return 0;
}

} // namespace loopscope
