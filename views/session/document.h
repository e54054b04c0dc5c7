#pragma once
// A workload that is open, and its tasks with everything known about them: sketches with their derivation, trials, the
// course of the search. Plain data: the parts of Session alone change it, on the UI thread; views read it and
// follow the signals.

#include "language/task/task.h"
#include "language/te/workload.h"
#include "measure/timing/time_interval.h"
#include "schedule/edit_steps.h"
#include "schedule/locks/schedule_locks.h"
#include "search/search_observer.h"
#include "search/search_options.h"
#include "search/sketch/sketch.h"
#include "views/session/lazy_optional.h"
#include "views/session/score_distribution.h"
#include "views/session/selection.h"

#include <QDateTime>
#include <QString>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace loopscope {

struct Ancestor; // where a candidate came from, back to its sketch: search/search_observer.h

/// Why a text is no workload, or a target no target.
struct Problem {
    QString sentence;
    QString excerpt; // source line and caret line, or empty
    QString path;
    int line = 0; // from 1; 0 = none
    int column = 0;
    bool cancelled = false; // nothing is wrong with it that is known: it was not read
};

/// What candidates are measured on.
enum class MeasureOn : uint8_t {
    Here,     // the target itself; where the machine has no GPU for its kernels, the executor
    Executor, // kernels of GPUs on this processor: answers are checked, nothing is timed
    Bundle,   // another machine: each round is written as a folder, and its results are brought back
    Fleet,    // nodes of a cluster, all at once
};

/// What a search is asked to do; from the search view's form.
struct SearchSetup {
    SearchOptions options;
    MeasureOn on = MeasureOn::Here;
    QString bundleFolder;  // of MeasureOn::Bundle; empty: beside the log
    QString nodes;         // of MeasureOn::Fleet: "nodes=2,partition=p" (measure/fleet/slurm.h)
    QString logPath;       // empty: a file of its own in the state folder
    int layoutRewrite = 2; // weights arrive packed, as in the command line
    double buildTimeout = 15;
    double runTimeout = 10;
};

/// What became of a trial after it was measured, which of most is nothing.
struct LaterFacts {
    QString note;    // the user's own
    QString machine; // it was measured on, where that was another one
    /// Samples of every later measurement, oldest first.
    std::vector<std::vector<double>> again;
    /// Its time in the last comparison it took part in (views/session/standing.h); decides what is shown.
    TimeInterval compared;
    int comparison = -1; // number of that comparison; -1: it took part in none
    double relative = 0; // time over that of the winner of the task's last comparison; 0 = not known
};

/// A trial with what the search knew about it. Trials of a log have no lineage. Thousands are kept: what takes room
/// here takes it thousands of times.
struct TrialEntry {
    Trial trial;
    QString mutation;                         // that made it; empty: sampled, copied or unknown
    std::shared_ptr<const Ancestor> ancestry; // null when unknown
    double elapsed = 0;  // search time at which it ended, seconds; 0 for logged trials without a time
    double gflops = 0;   // 0 when it failed or nothing is counted
    int sketch = -1;     // in TaskState::sketches; -1 unknown
    int round = 0;       // 0 = from a log
    int generation = -1; // -1 unknown
    float predicted = std::numeric_limits<float>::quiet_NaN(); // score when it was picked
    bool pinned = false;
    bool fromLog = false;
    int layoutRewrite = 0;   // it was measured with
    int logRecord = -1;      // its number in the log, from 0, as far as known: others may write to the log, too
    QString logPath;         // log it stands in; empty = in none
    uint64_t recordHash = 0; // what it is, wherever it stands there: records/record/record.h; 0 = in no log
    LazyOptional<LaterFacts> later;

    [[nodiscard]] QString recordName() const; // the hash as logs and session files name it; empty = in no log
    [[nodiscard]] bool valid() const { return trial.valid(); }
    /// Its answer was checked, but nothing was timed, as of kernels of a GPU that is not here.
    [[nodiscard]] bool untimed() const;
    /// "1.234 ms"; "checked, not timed", "failed" where there is no time.
    [[nodiscard]] QString timeWords() const;
    /// Seconds of one call as shown and ranked; +inf when it failed.
    [[nodiscard]] double seconds() const;
    [[nodiscard]] double spread() const; // (p90 - p10) / median of the samples shown; 0 with fewer than two
};

/// What measuring a schedule made by hand said.
struct EditMeasurement {
    double seconds = 0; // of a call; 0: not measured, or failed
    QString failure;    // why there is no time; empty: none
    int trial = -1;     // the trial it became, in TaskState::trials; -1: none, or not there any more
    /// "1.234 ms", "checked, not timed", "failed"; empty: it was not measured.
    [[nodiscard]] QString words() const;
};

/// A schedule made by hand: a node of the tree of edits of its task (views/session/edited_schedules.h). Nodes keep
/// their numbers; parents come before their children.
struct EditNode {
    EditedSteps steps;       // what is shown of it is what applies
    int parent = -1;         // in TaskState::edited; -1: editing began here
    ScheduleRef origin = {}; // of what it is a copy, where editing began
    QString did = {};        // the edit that made it, in words; where editing began: what it is a copy of
    QString name = {};       // the user's own; most have none
    QString note = {};       // the same
    QDateTime made = {};
    double predicted = std::numeric_limits<double>::quiet_NaN(); // time over that of the naive schedule
    EditMeasurement measured = {};
    int seenLast = -1;   // child that redo goes to
    QString script = {}; // the text that made it, as it was written: with its comments; empty: it was made otherwise
    bool pinned = false;
    bool dropped = false;
};

/// A script that cannot be applied yet: somebody is writing it.
struct ScriptDraft {
    ScheduleRef of; // whose script it was
    QString text;
};

struct GenerationInfo {
    int generation = 0;
    int population = 0;
    int invalid = 0;
    float best = 0;
    float median = 0;
    ScoreDistribution scores;
    std::vector<std::pair<std::string, int>> refusals = {}; // reason -> invalid children
};

struct RoundInfo {
    int round = 0; // from 1
    std::optional<PopulationSampled> sampled;
    std::vector<GenerationInfo> generations;
    std::optional<TrainingReport> training;
    int trialsSoFar = 0;
    double bestSeconds = 0;
    double elapsed = 0; // 0 while under way
};

/// Where the next searches of a task begin (views/session/scheduling.h).
struct SearchBeginning {
    std::optional<Steps> schedule = {};     // measured first and bred from; none: sampled ones alone
    QString name = {};                      // of it
    QString group = {};                     // the stage in which the one group ends that is searched; empty: all are
    std::vector<ScheduleLock> outside = {}; // what keeps all others as they are, among TaskState::locks
};

enum class SearchState : uint8_t { Idle, Running, Pausing, Paused, Stopping, Finished, Failed };

/// A round that was written and whose results somebody has to bring.
struct BundleWait {
    QString folder;     // of the round
    QString command;    // that measures it, on the machine it is for
    int candidates = 0; // without a result
    QDateTime since;
};

struct SearchStatus {
    SearchState state = SearchState::Idle;
    QString phase; // "evolving, generation 3 of 4"; empty when idle
    SearchPhase at = SearchPhase::Done;
    int round = 0;
    int measuring = -1; // number (from 0) of the trial built or run now; -1 none
    bool building = false;
    QDateTime measuringSince; // that trial
    std::set<int> running;    // numbers (from 0) of all trials that are built or run now
    int resumed = 0;          // trials that were there when this run began
    int done = 0;             // trials there are, those resumed included
    int total = 0;            // trials there will be, those resumed included
    double elapsed = 0;       // seconds, pauses left out
    std::optional<BundleWait> waiting;
    QString ended; // why it ended, one sentence; empty while it runs

    [[nodiscard]] bool underWay() const; // running, pausing, paused or stopping
    /// What is in hand when a pause is asked for comes to its end: "paused" is said once nothing is.
    void pause();
    void trialAdvanced(int number, TrialStage stage);
    void trialEnded(int number);
    /// Seconds until all trials are measured or the time limit (seconds; 0 none) ends it, at the rate of this run, in
    /// which resumed trials took no time; none before there is a rate.
    [[nodiscard]] std::optional<double> secondsLeft(double timeLimit) const;
};

/// What a task is made from; as it was when the task was understood last.
struct TaskSource {
    QString text;
    ParamOverrides params;
    QString targetText = QStringLiteral("llvm");
};

/// What a log says of a task whose workload (.te) is not known: its trials can be looked at, nothing can be made of
/// them.
struct UnknownWorkload {
    QString key;
    QString target;
};

/// One task (a workload with its parameters on a target) with everything known about it. A search, trials and a log
/// belong to a task, not to the text that happens to be in the editor.
struct TaskState {
    int taskId = 0; // one of its own in the session
    QString name;   // of the workload; the file's name while it does not parse
    TaskSource source;
    std::shared_ptr<const Workload> workload;
    std::shared_ptr<const Task> task;       // null until the text was good once
    std::optional<UnknownWorkload> logTask; // instead of text and task
    QString dagText;

    std::vector<Sketch> sketches;
    std::vector<SketchStep> derivation; // every rule tried, in order
    QString sketchProblem;              // why there are no sketches

    SearchSetup setup;
    SearchStatus search;
    std::vector<TrialEntry> trials;
    std::vector<EditNode> edited; // schedules made by hand
    std::optional<ScriptDraft> draft;
    ScheduleLocks locks;             // what its searches keep (views/session/locks.h)
    std::optional<Steps> lockedFrom; // the schedule they were made of, which is searched around
    SearchBeginning beginning;
    std::vector<RoundInfo> rounds;
    int best = -1;     // index of the best valid trial: standing.h
    int baseline = -1; // trial that times are told against, chosen by the user; -1 none
    QString logPath;   // where this task's searches append; empty: none yet
    int skippedLogLines = 0;
    bool loadingLog = false;
    double naiveSeconds = -1; // of the naive schedule, when measured
    TimeInterval naiveCompared;
    int naiveComparison = -1;
    int comparisons = 0; // how often candidates were timed in turn: finalists, measured again
    int winner = -1;     // of the last of these
    int decided = 0;     // trials there were then

    double searchedBefore = 0; // search time before the search under way
    int roundsBefore = 0;      // the same in rounds
    /// Search time of all searches so far, seconds.
    [[nodiscard]] double elapsedTotal() const;
    [[nodiscard]] double flops() const { return task ? task->dag->flops() : -1; }
    /// How many schedules of that kind there are.
    [[nodiscard]] size_t count(ScheduleRef::Kind kind) const;
    /// It is there: a sketch that was found, a schedule made by hand that was not dropped.
    [[nodiscard]] bool has(const ScheduleRef &ref) const;
    /// It holds what cannot be derived anew: trials, a log, a search.
    [[nodiscard]] bool worthKeeping() const;
};

/// As scheduleName, with the name the user gave: "edited schedule 3 (two tiles)".
QString scheduleName(const TaskState &state, const ScheduleRef &ref);

/// A file or text that is open. It shows one task, whose values it has as its own, and keeps the others that its text,
/// parameters and target made before (views/session/tasks.h goes from one to another).
struct Document : TaskState {
    int id = 0;
    QString path;      // of the .te file; empty when it was never saved
    QString origin;    // the sample it is an untitled copy of; empty when it is none
    QString text;      // as edited
    QString savedText; // as it stands in the file, as far as known; null when it stands in none
    bool modified = false;
    ParamOverrides params;
    QString targetText = QStringLiteral("llvm");

    std::optional<Problem>
        problem; // of the text, the parameters or the target; the task is then that of the last good text
    bool analysing = false;
    int analysisJob = 0; // that of the analysis under way
    int version = 0;     // of the input of the analysis under way

    std::vector<TaskState> others; // oldest first
};

} // namespace loopscope
