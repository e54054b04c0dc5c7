#pragma once
// DAGs that compute almost what another one does: the mistakes a kernel could make, planted where its answer comes
// from. Whoever compares answers must notice every one of them.

#include "dag/compute_dag.h"
#include "dag/interpreter.h"

#include <string>
#include <vector>

namespace loopscope {

struct PlantedFault {
    std::string what;
    DagPtr dag; // same arguments
};

/// Terms missing from each reduction, padding and masks of other values or ignored. `narrow`: values are float16 or
/// bfloat16, where one of many terms is less than the roundings; then a quarter of them is missing.
std::vector<PlantedFault> plantFaults(const ComputeDag &dag, bool narrow);

struct WrongAnswer {
    std::string what;
    TensorValue value;
};

/// The answer as a kernel would store it, with one of the faults that vector code has.
std::vector<WrongAnswer> wrongAnswers(const TensorValue &right);

} // namespace loopscope
