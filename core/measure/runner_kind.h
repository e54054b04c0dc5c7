#pragma once
// What candidates are run on to be measured.

#include <cstdint>

namespace loopscope {

enum class RunnerKind : uint8_t {
    Machine,  // the target itself, here
    Executor, // core/codegen/executor: kernels of GPUs on this processor; answers are checked, nothing is timed
};

} // namespace loopscope
