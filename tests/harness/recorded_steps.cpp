#include "harness/recorded_steps.h"

#include "schedule/steps_json.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace loopscope {

LoopState stateOf(const DagPtr &dag, const char *steps) {
    Outcome<LoopState> state = replay(dag, stepsFromJson(nlohmann::json::parse(steps)));
    if (!state) throw std::runtime_error(state.why());
    return std::move(state).value();
}

} // namespace loopscope
