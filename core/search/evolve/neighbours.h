#pragma once
// The neighbourhood of what has been measured. Evolution breeds from a whole population and hardly ever tries the best
// measured schedules with a single change; those few are worth trying, since a model that has seen some dozen
// schedules cannot tell near relatives apart and the clock can.

#include "base/thread_pool.h"
#include "language/task/task.h"
#include "search/candidate.h"
#include "search/search_options.h"

#include <atomic>
#include <functional>
#include <vector>

namespace loopscope {

/// Distinct legal schedules that one mutation, or two of tile sizes, makes of `parents`, none of them `known`; `draws`
/// attempts for each parent, every kind of mutation, and the two, as often as the others. They are not scored. Nothing
/// once `stopped`.
std::vector<Candidate> neighboursOf(const std::vector<Candidate> &parents, const Task &task,
                                    const SearchOptions &options, int round, size_t draws,
                                    const std::function<bool(const StateKey &)> &known, ThreadPool &pool,
                                    std::vector<Scratch> &scratch, const std::atomic<bool> *stopped = nullptr);

} // namespace loopscope
