#include "schedule_command.h"

#include "base/outcome.h"
#include "interrupt.h"
#include "measure/measurer.h"
#include "output.h"
#include "progress.h"
#include "records/export/export_schedule.h"
#include "schedule/grouping/grouping_json.h"
#include "schedule/script/schedule_script.h"
#include "schedule/steps_json.h"
#include "search/grouping_scheduler.h"
#include "search/scheduler.h"
#include "workbench/tuning_run.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace loopscope {

namespace {

using ScheduleJson = nlohmann::ordered_json;

struct MadeSchedule {
    LoopState state;
    std::optional<GroupingResult> grouping;
    std::optional<SearchResult> search;
    std::optional<Trial> measured;
    std::vector<std::string> notes;
};

/// Shows what a scheduler does.
class SchedulingObserver final : public SearchObserver {
  public:
    explicit SchedulingObserver(Progress &progress) : m_progress(progress) {}
    void on(const SearchEvent &event) override {
        if (const auto *note = std::get_if<SearchNote>(&event)) notes.push_back(note->sentence);
        m_progress.on(event);
    }

    std::vector<std::string> notes;

  private:
    Progress &m_progress;
};

void checkOptions(const ScheduleOptions &options) {
    const bool searches = options.by == "search";
    const auto refuse = [&](bool given, const char *option, const char *by) {
        if (given)
            throw UsageError(fmt::format("{} belongs to --by {}; --by {} has no use for it", option, by, options.by));
    };
    refuse(options.by != "grouping" && options.grouping.machine, "--machine", "grouping");
    refuse(options.by != "grouping" && options.grouping.mode, "--mode", "grouping");
    refuse(!searches && options.trials, "--trials", "search");
    refuse(!searches && options.timeLimit, "--time-limit", "search");
    if (!options.log.empty() && !searches && !options.measure)
        throw UsageError("--log keeps what was measured; give --measure, too");
    if (options.workload.json && options.as != "script" && options.as != "json")
        throw UsageError(fmt::format("schedule: --as {} is not JSON; --json has steps, script and times", options.as));
}

/// By a search, which has measured what it returns.
void search(const ScheduleOptions &options, const Task &task, Measurer &measurer, TrialLog &log,
            SchedulingObserver &observer, std::optional<MadeSchedule> &made) {
    SearchOptions search;
    search.trials = options.trials.value_or(search.trials);
    search.timeLimitSeconds = options.timeLimit.value_or(0);
    search.seed = options.seed.value_or(0);
    const ResumedTrials nothing;
    SearchResult result =
        std::move(runTuning(
                      {{task, {}, search, measurer, nothing}}, {search.timeLimitSeconds}, *makeRoundRobinOrder(), log,
                      [&](const SearchEvent &event) { observer.on(event); }, searchControl())
                      .front()
                      .search);
    auto state = foundSchedule(task, {}, result);
    if (!state) throw Error("schedule: " + state.why());
    const Trial best = result.trials[*result.best];
    made.emplace(MadeSchedule{std::move(*state), {}, std::move(result), best, {}});
}

void withoutMeasuring(const ScheduleOptions &options, const Task &task, SearchObserver &observer,
                      std::optional<MadeSchedule> &made) {
    const auto taken = [&](Outcome<LoopState> state) {
        if (!state) throw Error(options.workload.file, 0, 0, state.why());
        return std::move(*state);
    };
    if (options.by == "naive") {
        made.emplace(
            MadeSchedule{taken(makeNaiveScheduler()->schedule(task, observer, &searchControl())), {}, {}, {}, {}});
        return;
    }
    GroupingScheduler scheduler(groupingOptionsOf(options.grouping, task.target));
    LoopState state = taken(scheduler.schedule(task, observer, &searchControl()));
    made.emplace(MadeSchedule{std::move(state), scheduler.result(), {}, {}, {}});
}

void measure(MadeSchedule &made, const Task &task, Measurer &measurer, TrialLog &log, Progress &progress) {
    progress.phase("computing the reference answer");
    if (measurer.prepare(&searchControl().cancelledFlag())) {
        progress.phase("building, checking and timing the schedule");
        measurer.measure({made.state.steps()}, [&](size_t, const Trial &trial) { made.measured = trial; },
                         {.cancel = &searchControl().cancelledFlag()});
    }
    for (const std::string &note : measurer.notes()) progress.say(note);
    if (made.measured) log.append(task, *made.measured);
}

/// "best three 1.20 ms, 3.4 GFLOP/s; its largest error is 0 of the tolerance against the reference".
std::string measuredText(const MadeSchedule &made, double flops) {
    const Trial &trial = *made.measured;
    const std::string error =
        fmt::format("largest error {:.3g} of the tolerance against the reference", trial.maxError);
    if (trial.seconds.empty()) return "the answer is right, and nothing was timed; " + error;
    const double seconds = made.search && made.search->bestTime.known() ? made.search->bestTime.seconds : trial.cost();
    return fmt::format("{}{}{}; {}", timeText(seconds), speedText(flops, seconds), trial.unstable ? ", unstable" : "",
                       error);
}

ScheduleJson measuredJson(const MadeSchedule &made, double flops) {
    if (!made.measured) return nullptr;
    const Trial &trial = *made.measured;
    if (!trial.valid()) return {{"failed", trialErrorName(trial.error)}, {"reason", trial.reason}};
    const bool timed = !trial.seconds.empty();
    const auto speed = timed ? gigaflops(flops, trial.cost()) : std::nullopt;
    return {{"seconds", trial.seconds},
            {"cost", timed ? ScheduleJson(trial.cost()) : ScheduleJson(nullptr)},
            {"median", timed ? ScheduleJson(trial.median()) : ScheduleJson(nullptr)},
            {"gflops", speed ? ScheduleJson(*speed) : ScheduleJson(nullptr)},
            {"unstable", trial.unstable},
            {"error", trial.maxError}};
}

std::string scriptText(const Task &task, const MadeSchedule &made) {
    auto script = scriptOf(task.dag, made.state.steps());
    if (!script) throw Error("the schedule has no script: " + script.why());
    return script->empty() ? "# the naive schedule: no primitives\n" : std::move(*script);
}

ScheduleJson scheduleJson(const ScheduleOptions &options, const LoadedTask &loaded, const MadeSchedule &made,
                          const std::string &problem) {
    const Task &task = loaded.task;
    ScheduleJson json = {{"workload", loaded.workload.name},
                         {"target", task.target.text()},
                         {"by", options.by},
                         {"steps", ScheduleJson::parse(stepsText(made.state.steps()))},
                         {"script", scriptText(task, made)},
                         {"layout_rewrite", static_cast<int>(task.layoutRewrite)},
                         {"notes", made.notes},
                         {"measured", measuredJson(made, task.dag->flops())}};
    if (made.grouping) {
        json["grouping"] =
            groupingJson(made.grouping->grouping, made.grouping->plans, {made.state, made.grouping->notes});
        json["grouping"].erase("steps");
        json["grouping"].erase("notes");
    }
    if (made.search) json["search"] = {{"trials", made.search->trials.size()}, {"best", *made.search->best}};
    if (!problem.empty()) json["error"] = problem;
    return json;
}

std::string shownText(const ScheduleOptions &options, const Task &task, const MadeSchedule &made) {
    if (options.as == "script") return scriptText(task, made);
    if (options.as == "steps") {
        std::string text;
        for (const Step &step : made.state.steps()) text += stepText(step) + "\n";
        return text;
    }
    ExportRequest request{task, made.state.steps(), static_cast<int>(task.layoutRewrite), made.measured};
    auto files = exportSchedule(request, exportFormatNamed(options.as)->format, &searchControl().cancelledFlag());
    if (!files) throw Error(fmt::format("--as {}: {}", options.as, files.why()));
    return std::move(files->front().bytes);
}

} // namespace

std::vector<std::string> scheduleForms() {
    std::vector<std::string> forms = {"script", "steps", "record", "json"};
    for (const ExportFormatInfo &info : exportFormats())
        if (info.shape == ExportShape::File && info.format != ExportFormat::Script &&
            info.format != ExportFormat::Record)
            forms.emplace_back(info.name);
    return forms;
}

int runSchedule(const ScheduleOptions &options) {
    checkOptions(options);
    LoadedTask loaded = loadTask(options.workload);
    Task &task = loaded.task;
    // As `measure` has it: the loops of the workload read weights as they are.
    if (options.by != "naive" && !task.target.isGpu()) task.layoutRewrite = LayoutRewrite::Pretransformed;
    const bool measures = options.measure || options.by == "search";
    MeasureOptions measureOptions;
    measureOptions.seed = options.seed.value_or(0);
    if (measures) applyRunner(options.runner, task.target, measureOptions);
    Progress progress({{loaded.workload.name, task.dag->flops()}});
    // Before anything slow, since the log may be in use.
    const auto log = TrialLog::open(options.log, [&](const std::string &news) { progress.say(news); });
    cancelOnSignals();
    std::unique_ptr<Measurer> measurer;
    if (measures) measurer = makeWorkerMeasurer(task, measureOptions);
    SchedulingObserver observer(progress);
    std::optional<MadeSchedule> made;
    if (options.by == "search") {
        search(options, task, *measurer, *log, observer, made);
    } else {
        withoutMeasuring(options, task, observer, made);
        if (options.measure) measure(*made, task, *measurer, *log, progress);
    }
    made->notes = std::move(observer.notes);

    std::string problem;
    if (made->measured && !made->measured->valid())
        problem = fmt::format("schedule: {}: {}", trialErrorName(made->measured->error), made->measured->reason);
    else if (searchControl().cancelled())
        problem = "schedule: interrupted; what was found so far is printed";
    if (options.workload.json || options.as == "json") {
        writeOutput(
            scheduleJson(options, loaded, *made, problem).dump(-1, ' ', false, ScheduleJson::error_handler_t::replace) +
            "\n");
    } else {
        writeOutput(shownText(options, task, *made));
        if (made->measured && problem.empty()) progress.say(measuredText(*made, task.dag->flops()));
    }
    if (!problem.empty()) throw ReportedError(problem);
    return 0;
}

} // namespace loopscope
