#include "search/task_order_choice.h"

#include "search/gain_order.h"

namespace loopscope {

std::unique_ptr<TaskOrder> makeTaskOrder(const std::string &word, uint64_t seed) {
    if (word == "gradient") return makeGradientOrder({.seed = seed});
    if (word == "gain") return makeGainOrder();
    return makeRoundRobinOrder();
}

} // namespace loopscope
