#pragma once
// The first population of a round: random complete schedules of random sketches (Ansor, OSDI 2020, section 4.2).

#include "base/thread_pool.h"
#include "language/task/task.h"
#include "search/candidate.h"
#include "search/locks/locked_start.h"
#include "search/search_options.h"
#include "search/sketch/sketch.h"

#include <atomic>
#include <map>
#include <vector>

namespace loopscope {

struct SampledPopulation {
    std::vector<Candidate> candidates; // distinct, not measured before, in order of attempt
    int attempts = 0;
    std::map<std::string, int> refusals; // reason -> attempts lost to it
    std::vector<int> validOfSketch;      // candidates by sketch
};

/// Attempts come in batches of one population; attempt i of a round depends on (seed, round, i) alone. Stops when the
/// minimum is reached, or when several batches in a row brought nothing new. Empty when `stopped`. `within`: where
/// something is locked, what there is to draw from; null: all sketches.
SampledPopulation samplePopulation(const Task &task, const std::vector<Sketch> &sketches, const SearchOptions &options,
                                   int round, const std::function<bool(const StateKey &)> &known, ThreadPool &pool,
                                   std::vector<Scratch> &scratch, const std::atomic<bool> *stopped = nullptr,
                                   const LockedStart *within = nullptr);

} // namespace loopscope
