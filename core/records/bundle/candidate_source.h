#pragma once
// A candidate as a bundle holds it: its source, in C or CUDA C++, and how it is called. Internal to bundle.

#include "language/task/task.h"
#include "measure/trial.h"
#include "schedule/step.h"

#include <nlohmann/json.hpp>

#include <string>

namespace loopscope {

struct CandidateSource {
    std::string text;
    nlohmann::ordered_json call; // "entry" or "kernels" and "temporaries"; "packing" of each argument
    TrialError error = TrialError::None;
    std::string reason; // why there is none
};

/// `name`: of the function, or of the kernels' beginning.
CandidateSource candidateSource(const Task &task, const Steps &steps, const std::string &name);

} // namespace loopscope
