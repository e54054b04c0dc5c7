#pragma once
// The orders of tasks by the words that people choose them by.

#include "search/task_order.h"

#include <cstdint>
#include <memory>
#include <string>

namespace loopscope {

/// "round-robin", "gradient" or "gain".
std::unique_ptr<TaskOrder> makeTaskOrder(const std::string &word, uint64_t seed);

} // namespace loopscope
