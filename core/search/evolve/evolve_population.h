#pragma once
// Evolutionary search on the model's scores (Ansor, OSDI 2020, section 5.1): parents by roulette, children by mutation
// and crossover, the best of all generations kept.

#include "base/thread_pool.h"
#include "language/task/task.h"
#include "search/candidate.h"
#include "search/cost/cost_model.h"
#include "search/search_budget.h"
#include "search/search_observer.h"
#include "search/search_options.h"

#include <functional>
#include <vector>

namespace loopscope {

/// Fills in the score of every candidate; -inf for those without rows.
using Scorer = std::function<void(std::vector<Candidate> &)>;

/// The `keep` best candidates that are not `known`, best first (ties by key). `population` is the first generation,
/// `generations` more follow. Between generations it waits while `watch` is paused; nothing when that says to stop.
std::vector<Candidate> evolvePopulation(const Task &task, const SearchOptions &options, int round, int generations,
                                        std::vector<Candidate> population, size_t keep, const Scorer &score,
                                        const std::function<bool(const StateKey &)> &known, ThreadPool &pool,
                                        std::vector<Scratch> &scratch,
                                        const std::function<void(const SearchEvent &)> &tell,
                                        SearchBudget *watch = nullptr);

/// The model's scores. While the model knows little, the analytic estimate leads: `leaning` is its weight, 0 none;
/// `bestDraft` the least estimate seen.
void scoreCandidates(std::vector<Candidate> &candidates, CostModel &model, double leaning, double bestDraft);

} // namespace loopscope
