#pragma once
// `loopscope-cli run` with a schedule: its kernel on the given inputs, compared with the interpreter.

#include "language/interpret/interpreter.h"
#include "run_command.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace loopscope {

struct RanKernel {
    std::vector<TensorValue> outputs; // as the DAG's arguments list them
    std::string text;                 // lines about the kernel
    nlohmann::ordered_json json;
};

/// Throws Error when the schedule cannot be had, does not run, or gives a wrong answer.
RanKernel runKernelOf(const RunOptions &options, LoadedTask &loaded, const std::vector<TensorValue> &inputs,
                      int threads);

} // namespace loopscope
