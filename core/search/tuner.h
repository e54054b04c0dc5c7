#pragma once
// A search, of one task or of several that take turns. What happens to each of them is told in task_search.h.

#include "base/outcome.h"
#include "language/task/task.h"
#include "measure/measurer.h"
#include "search/choice_group.h"
#include "search/cost/cost_model.h"
#include "search/search_control.h"
#include "search/search_observer.h"
#include "search/search_options.h"
#include "search/task_order.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct SearchResult {
    std::vector<Trial> trials;  // measured by this call, in order
    std::optional<size_t> best; // index into `trials`, or into `resumed` when bestIsResumed
    bool bestIsResumed = false;
    std::vector<ComparedTime> compared; // the interleaved comparison that decided; empty when there was none
    TimeInterval bestTime;              // of the best in that comparison; unknown when there was none
    bool cancelled = false;             // by the caller or by the time limit
    double searchSeconds = 0;           // sketching, sampling, evolving, learning
    double measureSeconds = 0;
    double pairsRankedRight = -1; // mean over rounds, weighted by batch
    // What was lost or changed on the way, by reason: drawn schedules and children that were invalid, and loops of
    // measured kernels that run serially against their annotation.
    std::map<std::string, int> refusedSamples;
    std::map<std::string, int> refusedChildren;
    std::map<std::string, int> serialisedLoops;
    int serialisedTrials = 0;                      // with at least one such loop
    std::optional<Refusal> refused = std::nullopt; // the locks leave nothing to search
};

/// Rounds of an interleaved comparison: the fewest that make an interval sure (time_interval.h).
inline constexpr int kComparingRounds = 11;
/// A naive schedule that takes so long is worth waiting for in a comparison; not one that was not measured (0).
bool naiveTakesPart(double naiveSeconds);

/// One of the tasks a search takes turns with.
struct TaskJob {
    const Task &task;
    SearchOptions options; // its own; threads and time limit are those of all (TuneTasksOptions)
    Measurer &measurer;    // tasks that share a pool of workers have one each (measure/worker_pool.h)
    CostModel &model;      // tasks on one kind of target may share theirs: it learns from all of them
    /// Trials of the same task from a log; they are learnt from and not measured again.
    std::span<const Trial> resumed;
    double weight = 1; // how often its kernel runs in what is to become fast
    /// Schedules somebody else made: measured before any other, and bred from like all that were measured.
    std::vector<Steps> startFrom = {};
    double floorSeconds = 0; // no kernel of it can be faster (rooflines); 0: not known
};

/// What all tasks of a search have together.
struct TuneTasksOptions {
    double timeLimitSeconds = 0; // 0 = none
    double spentSeconds = 0;     // of the time limit, before the search began
    int threads = 0;             // that score candidates; 0 = as many as cores
    /// Of all together, those of logs included, where the tasks share them: however many its own options say, a task
    /// has no round beyond them. 0 = each has its own.
    int sharedTrials = 0;
    /// Tasks that are forms of one node. One that is behind, and cannot be expected to get ahead, is given up, which a
    /// note says; not while it is pinned.
    std::vector<TaskChoiceGroup> groups = {};
};

/// Searches the tasks in rounds, one task's after the other as `order` says, on one set of threads; a task whose trials
/// are used up has its finalists compared and is done. As many rounds are under way as all measurers can have at once:
/// the next is picked, and bred, when the oldest of them has been learnt from. Candidates depend only on tasks,
/// options, that number and the measured times (with a random model and an order that looks at no time: not on times).
/// Trials are handed to `observer` as they end, so that the caller can log each before the next begins. `control`
/// steers it from other threads; the time limit does not count pauses; for tasks without a valid trial it is extended,
/// at most to twice its length, until they have one.
std::vector<SearchResult> tuneTasks(const std::vector<TaskJob> &jobs, const TuneTasksOptions &options, TaskOrder &order,
                                    SearchObserver &observer, SearchControl *control = nullptr);

/// The same for one task, with the time limit and threads of its options.
SearchResult tune(const Task &task, const SearchOptions &options, Measurer &measurer, CostModel &model,
                  std::span<const Trial> resumed, SearchObserver &observer, SearchControl *control = nullptr);

} // namespace loopscope
