#pragma once
// DAGs that compute almost what another one does: the mistakes a kernel could make, planted where its answer comes
// from. Whoever compares answers must notice every one of them.

#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"

#include <string>
#include <vector>

namespace loopscope {

struct PlantedFault {
    std::string what;
    DagPtr dag; // same arguments
};

/// One term missing from each reduction, the last of each of its axes missing, padding and masks of other values or
/// ignored.
std::vector<PlantedFault> plantFaults(const ComputeDag &dag);

struct WrongAnswer {
    std::string what;
    TensorValue value;
};

/// The answer as a kernel would store it, with one of the faults that vector code has.
std::vector<WrongAnswer> wrongAnswers(const TensorValue &right);

} // namespace loopscope
