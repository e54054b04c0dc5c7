#pragma once
// Two or more logs against each other, task by task: the first log is what the others are told against. All a report
// says stands here; it is printed as HTML (diff_html.h) and CSV (diff_csv.h).

#include "language/dag/compute_dag.h"
#include "measure/compare/aligned_steps.h"
#include "records/logs/matched_tasks.h"

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// Times of different searches are taken to scatter by so much at least, however well the repeats of each agree: as far
/// as the best samples of a stable time may lie apart.
inline constexpr double kMinScatter = 0.03;

struct BestPoint {
    double x = 0;       // trials from 1, or seconds since the first record of the task
    double seconds = 0; // least so far
};

/// A task in one of the logs.
struct DiffSide {
    size_t records = 0;
    size_t failures = 0;
    size_t best = SIZE_MAX;                                   // number of the record in the log
    double seconds = std::numeric_limits<double>::infinity(); // LogRow::seconds
    double low = 0;                                           // its best three times lie within, and kMinScatter
    double high = 0;
    size_t repeats = 0;
    PackedSteps steps = {};                  // of the best
    std::vector<BestPoint> byTrial = {};     // where the least so far falls
    std::vector<BestPoint> byTime = {};      // empty: the log's timestamps do not tell
    double duration = 0;                     // from the first to the last record
    std::vector<uint32_t> failedTrials = {}; // which, from 1
    std::vector<uint64_t> structures = {};   // hashes, ascending: step lists without lengths and values of pragmas
    uint64_t bestStructure = 0;
    [[nodiscard]] bool valid() const { return best != SIZE_MAX; }
    /// Its records were checked, some are right, and none was timed.
    [[nodiscard]] bool untimed() const { return !valid() && failures < records; }
};

enum class DiffVerdict : uint8_t {
    Better, // the other log is faster, beyond the scatter of the repeats
    Worse,
    WithinNoise, // the ranges of their times overlap
    OnlyFirst,   // the task, or a valid record of it, is in one log alone
    OnlyOther,
    TimedInFirst, // the other has the task, checked and not timed
    TimedInOther,
    NoneTimed, // both have the task, and at least one of them has it checked
    NoneValid, // both have the task
    Neither,   // a third log alone has the task
};
std::string_view verdictName(DiffVerdict verdict); // "better", "worse", "within noise", "only in A", ...

/// The first log's best against that of another.
struct DiffPair {
    DiffVerdict verdict = DiffVerdict::NoneValid;
    std::optional<double> ratio = std::nullopt; // time of the other over time of the first: below 1 the other is faster
    size_t structuresShared = 0;
    size_t structuresInAll = 0;
    bool sameStructure = false; // of the two bests
    std::vector<StepPair> steps = {};
    std::string stepsRefused = {}; // why the steps are not beside each other; empty: they are, or one is missing
    bool stepsByNumber = false;    // in words by numbers: what the task computes is not known
};

struct TaskDiff {
    MatchedTask task;
    std::vector<std::optional<DiffSide>> sides; // of each log
    std::vector<DiffPair> pairs;                // with each log but the first
    double weight = 1;
};

/// Over all tasks, of the first log and another.
struct DiffTotals {
    std::optional<double> geomean;         // of the ratios; none without any
    std::optional<double> weightedGeomean; // by the weights of the tasks
    double secondsFirst = 0;               // sums of weight times best, of the tasks that both have
    double secondsOther = 0;
    size_t compared = 0; // tasks with a ratio
    size_t won = 0;      // the other log is better
    size_t lost = 0;
    size_t withinNoise = 0;
    size_t onlyFirst = 0;
    size_t onlyOther = 0;
};

struct LogDiff {
    std::vector<std::string> paths;
    std::vector<TaskDiff> tasks;
    std::vector<DiffTotals> totals; // with each log but the first
    bool weighted = false;          // not all weights are 1
};

struct DiffWorkload {
    std::string name; // operators and shapes; empty: not known
    DagPtr dag = nullptr;
};

/// How much a task counts in the weighted mean.
struct DiffWeights {
    std::map<std::string, double> byKey = {}; // as logged or flattened alike; others weigh 1
    bool byRecords = false;                   // of all logs together
};

struct DiffOptions {
    std::vector<std::vector<DiffWorkload>> workloads = {}; // of each log, of each of its tasks; may be empty
    DiffWeights weights = {};
    const std::atomic<bool> *cancelled = nullptr;
    std::function<void(size_t done, size_t of)> progress = {}; // tasks
};

/// At least two logs. Throws Error when a log is no longer what it was; a cancelled diff has the tasks so far.
LogDiff diffLogs(const std::vector<const LogDocument *> &logs, const DiffOptions &options = {});
/// Other weights for the same tasks, and what follows from them.
void weighTasks(LogDiff &diff, const DiffWeights &weights);

/// Weights from JSON: an object of keys to numbers. Throws Error.
std::map<std::string, double> loadTaskWeights(const std::string &path);

} // namespace loopscope
