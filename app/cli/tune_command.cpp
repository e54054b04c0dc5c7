#include "tune_command.h"

#include "base/outcome.h"
#include "bundle_search.h"
#include "fleet_runner.h"
#include "interrupt.h"
#include "layout_search.h"
#include "measure/worker_pool.h"
#include "output.h"
#include "progress.h"
#include "records/record/known_records.h"
#include "search/alternative_order.h"
#include "search/search_budget.h"
#include "search/target_rules.h"
#include "search/task_order_choice.h"
#include "search_start.h"
#include "tune_report.h"
#include "workbench/tuning_run.h"

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

/// Before anything slow, since the log may be in use.
std::unique_ptr<TrialLog> openLog(const TuneOptions &options, Progress &progress) {
    if (options.resume && access(options.log.c_str(), F_OK) != 0)
        throw Error(options.log, 0, 0, "there is no log to resume from; without --resume a new one is started");
    return TrialLog::open(options.log, [&](const std::string &sentence) { progress.say(sentence); });
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

std::vector<TunedTask> loadTasks(const TuneOptions &options) {
    std::vector<TunedTask> tasks;
    for (const std::string &file : options.files) {
        WorkloadChoice choice = options.workload;
        choice.file = file;
        TunedTask tuned{loadTask(choice), {}, {}, {}, {}, {}};
        tuned.loaded.task.layoutRewrite =
            static_cast<LayoutRewrite>(options.layoutRewrite.value_or(tuned.loaded.task.target.isGpu() ? 0 : 2));
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
        if (!prepared && first && !searchControl().cancelled()) throw tooShort(", with the wait for the machine");
        return prepared;
    } catch (const ReferenceTimeout &timeout) {
        if (limit <= 0 || limit > MeasureOptions().referenceTimeout) throw;
        throw tooShort("");
    }
}

/// Before the search: what its kernels are compared with, or why it has no time.
Trial naiveOf(Measurer &measurer, const TuneOptions &options, const Task &task, bool prepared,
              const SearchBudget &watch, Progress &progress) {
    Trial naive;
    naive.error = TrialError::Unknown;
    naive.reason = "interrupted";
    if (options.runner.executor()) { // one thread of one block would take longer than the search
        naive.reason = "the executor times nothing";
    } else if (options.runner.bundled()) { // a round trip for it alone, and on GPUs there is none
        naive.reason = "bundles hold candidates of the search alone";
    } else {
        progress.phase("measuring the naive kernel");
        if (prepared) naive = measureNaive(measurer, task, {.cancel = &watch.stopped});
        if (watch.stopped && !searchControl().cancelled() && !naive.valid()) naive.reason = "the time limit came first";
    }
    return naive;
}

std::unique_ptr<TaskOrder> orderOf(const TuneOptions &options) {
    if (!options.layouts.empty()) return makeAlternativeOrder({.seed = options.search.seed});
    return makeTaskOrder(options.taskOrder, options.search.seed);
}

/// Others may have written to the log meanwhile.
void findBest(TunedTask &tuned, const TuneOptions &options) {
    if (!tuned.result.best || options.log.empty()) return;
    const size_t best = *tuned.result.best;
    const bool resumed = tuned.result.bestIsResumed;
    size_t &number = resumed ? tuned.resumed.numbers[best] : tuned.recordNumbers[best];
    const Trial &trial = resumed ? tuned.resumed.trials[best] : tuned.result.trials[best];
    const uint64_t hash = resumed ? tuned.resumed.hashes[best] : recordHash(makeRecord(tuned.loaded.task, trial));
    number = KnownRecords(options.log).numberOf(hash, trial).value_or(number);
}

/// Of each task what its candidates are measured with.
std::vector<std::unique_ptr<Measurer>> measurersOf(const TuneOptions &options, const std::vector<TunedTask> &tasks,
                                                   const MeasureOptions &measureOptions, Progress &progress,
                                                   const std::shared_ptr<Fleet> &fleet) {
    if (options.runner.bundled()) return bundleMeasurers(options, tasks, progress);
    const auto pool = fleet ? nullptr : std::make_shared<WorkerPool>(measureOptions);
    std::vector<std::unique_ptr<Measurer>> measurers;
    for (const TunedTask &tuned : tasks)
        measurers.push_back(fleet ? makeFleetMeasurer(fleet, tuned.loaded.task)
                                  : makePoolMeasurer(pool, tuned.loaded.task));
    return measurers;
}

/// Throws the problem behind it; none: empty.
void tell(const TuneOptions &options, const Json &json, const std::string &text, const std::string &problem) {
    writeOutput(options.workload.json ? json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" : text);
    if (!problem.empty()) throw ReportedError(problem);
}

void reportAlternatives(const std::vector<TunedTask> &tasks, const LayoutSearch &layouts,
                        const std::vector<TimeInterval> &inTurn, const TuneOptions &options) {
    std::vector<const TunedTask *> all;
    for (const TunedTask &tuned : tasks) all.push_back(&tuned);
    TuneReport whole = describeAlternatives(tasks, layouts, inTurn, options.log);
    const std::string problem = tuneProblem(all, options.search, options.log, searchControl().cancelled(), true);
    if (!problem.empty()) whole.json["error"] = problem;
    tell(options, whole.json, whole.text, problem);
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
        const std::string problem = tuneProblem({&tasks[i]}, options.search, options.log, searchControl().cancelled());
        if (!problem.empty()) one.json["error"] = problem;
        json.push_back(std::move(one.json));
        text += (text.empty() ? "" : "\n") + one.text;
    }
    tell(options, tasks.size() == 1 ? Json(json.front()) : json, text,
         tuneProblem(all, options.search, options.log, searchControl().cancelled()));
}

} // namespace

int runTune(const TuneOptions &options) {
    for (const auto &[given, what] : {std::pair{!options.startFrom.empty(), "--start-from is a schedule"},
                                      std::pair{!options.group.empty(), "--group names stages"},
                                      std::pair{!options.locks.empty(), "--lock is about a schedule"}})
        if (given && options.files.size() > 1)
            throw UsageError(fmt::format("{} of one workload; search the others on their own", what));
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
    const std::unique_ptr<TrialLog> log = openLog(options, progress);
    writeLaidOut(options, layouts);
    for (const std::string &note : layouts.notes) progress.say(note);
    log->startAt(readLog(options, tasks, progress));

    const double limit = options.search.timeLimitSeconds;
    if (limit > 0) measureOptions.referenceTimeout = std::min(limit, measureOptions.referenceTimeout);
    SearchBudget watch(searchControl(), limit); // of everything: reference, naive kernel, search
    watch.found();                              // only the search may take longer for want of a valid trial
    cancelOnSignals();
    const TellFleet tellFleet = [&](const std::string &sentence) { progress.say(sentence); };
    const std::shared_ptr<Fleet> fleet = options.runner.slurm()
                                             ? slurmFleet(options.runner, tasks.front().loaded.task.target,
                                                          measureOptions, tellFleet, &searchControl().cancelledFlag())
                                             : nullptr;
    if (options.runner.slurm() && !fleet) throw ReportedError("interrupted while it waited for nodes; no job is left");
    const std::vector<std::unique_ptr<Measurer>> measurers =
        measurersOf(options, tasks, measureOptions, progress, fleet);
    for (size_t i = 0; options.runner.bundled() && i < tasks.size(); ++i)
        takeBundleRounds(options, tasks[i], *measurers[i], *log, progress, watch.stopped);
    std::vector<TuningTask> jobs;
    for (size_t i = 0; i < tasks.size(); ++i) {
        const Task &task = tasks[i].loaded.task;
        progress.say(fmt::format("{}: {}, target {}", tasks[i].name, flopsText(task.dag->flops()), task.target.text()));
        progress.phase("computing the reference answer");
        const bool prepared = prepare(*measurers[i], options, watch, i == 0);
        tasks[i].naive = naiveOf(*measurers[i], options, task, prepared, watch, progress);
        SearchOptions search = tryLayouts ? alternativeOptions(options.search, tasks.size()) : options.search;
        if (tasks[i].naive.valid()) search.naiveSeconds = tasks[i].naive.cost();
        search.locks = start.locks;
        jobs.push_back({task, tasks[i].name, search, *measurers[i], tasks[i].resumed, start.schedules});
    }
    const auto order = orderOf(options);
    const TuneTasksOptions together{limit, watch.elapsed(), options.search.threads,
                                    tryLayouts ? options.search.trials : 0};
    std::vector<TunedResult> results =
        runTuning(jobs, together, *order, *log, [&](const SearchEvent &event) { progress.on(event); }, searchControl());
    if (fleet) tellNodes(*fleet, tellFleet);
    for (size_t i = 0; i < tasks.size(); ++i) {
        tasks[i].result = std::move(results[i].search);
        tasks[i].recordNumbers = std::move(results[i].records);
        findBest(tasks[i], options);
    }
    if (tryLayouts) {
        progress.phase("comparing the alternatives, in turn");
        reportAlternatives(tasks, layouts, compareAlternatives(tasks, measurers, searchControl()), options);
    } else {
        report(tasks, options);
    }
    return 0;
}

} // namespace loopscope
