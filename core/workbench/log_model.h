#pragma once
// A cost model that has learnt from logs: what the search would think of a schedule if it went on from them.

#include "base/thread_pool.h"
#include "records/record/record.h"
#include "search/cost/cost_model.h"

#include <memory>
#include <vector>

namespace loopscope {

/// The log's records of this task and target, by their numbers.
std::vector<size_t> ownRecords(const RecordLog &log, const Task &task);

/// Null where the logs hold too few records of this task and target.
std::unique_ptr<CostModel> modelOf(const std::vector<const RecordLog *> &logs, const Task &task, ThreadPool &pool);

} // namespace loopscope
