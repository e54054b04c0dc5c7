#pragma once
// Evolutionary search on the model's scores (ansor.md §5.7): parents by roulette, children by mutation and crossover,
// the best of all generations kept.

#include "cost/cost_model.h"
#include "search/candidate.h"
#include "search/search_observer.h"
#include "search/search_options.h"
#include "task/task.h"
#include "thread_pool.h"

#include <functional>
#include <vector>

namespace loopscope {

/// The `keep` best candidates that are not `known`, best first (ties by key). `population` is scored in place.
/// `rounds` generations follow the given one.
std::vector<Candidate> evolvePopulation(const Task &task, const SearchOptions &options, int round, int generations,
                                        std::vector<Candidate> population, size_t keep, CostModel &model,
                                        const std::function<bool(const StateKey &)> &known, ThreadPool &pool,
                                        std::vector<Scratch> &scratch,
                                        const std::function<void(const SearchEvent &)> &tell);

/// Scores by the model; candidates without rows get -inf.
void scoreCandidates(std::vector<Candidate> &candidates, CostModel &model);

} // namespace loopscope
