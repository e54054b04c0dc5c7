#pragma once
// A cost model that has learnt from logs: what the search would think of a schedule if it went on from them.

#include "choice.h"
#include "cost/cost_model.h"
#include "thread_pool.h"

#include <memory>
#include <vector>

namespace loopscope {

/// The log's records of this task and target, by their numbers.
std::vector<size_t> ownRecords(const RecordLog &log, const LoadedTask &loaded);

/// Null where the logs hold too few records of this task and target.
std::unique_ptr<CostModel> modelOf(const std::vector<const RecordLog *> &logs, const LoadedTask &loaded,
                                   ThreadPool &pool);

} // namespace loopscope
