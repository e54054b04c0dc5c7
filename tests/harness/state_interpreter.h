#pragma once
// Runs a state loop by loop, straight from its bounds: the slow, obvious meaning of a schedule. Every stage keeps only
// what was computed since its attach point was entered, so a region that is too small, a stage read before it is
// computed or an element written outside its tensor shows as a failure instead of a lucky value.

#include "language/interpret/interpreter.h"
#include "schedule/bound_inference.h"

#include <string>
#include <vector>

namespace loopscope {

struct StateRun {
    std::vector<TensorValue> outputs; // per output among the DAG's args, in that order
    std::string failure;              // empty = none
};

/// `inputs` as for interpret().
StateRun runState(const BoundedState &bounded, const std::vector<TensorValue> &inputs);

} // namespace loopscope
