#pragma once
// Whether the DAG of some nodes computes what their operators mean: interpreter against reference evaluation.

#include "graph/function.h"
#include "graph/function_builder.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

/// What parameters are filled with; constants keep their numbers.
struct ValueRange {
    double low = -1;
    double high = 1;
};
using ValueRanges = std::map<std::string, ValueRange>; // by the value's name

/// All nodes of the function as one DAG, over parameters and constants that are drawn from the seed. Empty when it
/// agrees with the reference, to the digits of the types; else a sentence.
std::string referenceDifference(const FunctionPtr &function, uint64_t seed, const ValueRanges &ranges = {});

/// Parameters of `main`, then constants that are no literals, as far as their elements are read.
std::vector<ValueId> readInputs(const GraphFunction &function);
std::vector<NodeId> allNodes(const GraphFunction &function);

} // namespace loopscope
