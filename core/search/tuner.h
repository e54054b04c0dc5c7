#pragma once
// The story of a search, told once: sketch, sample, evolve, pick, measure, learn, again; then compare the finalists.

#include "cost/cost_model.h"
#include "measure/measurer.h"
#include "search/search_control.h"
#include "search/search_observer.h"
#include "search/search_options.h"
#include "task/task.h"

#include <map>
#include <optional>
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
    int serialisedTrials = 0; // with at least one such loop
};

/// Rounds of an interleaved comparison: the fewest that make an interval sure (time_interval.h).
inline constexpr int kComparingRounds = 11;
/// A naive schedule that takes so long is worth waiting for in a comparison; not one that was not measured (0).
bool naiveTakesPart(double naiveSeconds);

/// `resumed`: trials of the same task from a log; they are learnt from and not measured again. Candidates depend only
/// on task, options and the measured times (with a random model: on task and options). Trials are handed to `observer`
/// as they end, so that the caller can log each before the next begins. `control` steers it from other threads; the
/// time limit does not count pauses; without a valid trial it is extended, at most to twice its length, until there is
/// one.
SearchResult tune(const Task &task, const SearchOptions &options, Measurer &measurer, CostModel &model,
                  const std::vector<Trial> &resumed, SearchObserver &observer, SearchControl *control = nullptr);

} // namespace loopscope
