#pragma once
// Whether the DAG of some nodes computes what their operators mean: interpreter against reference evaluation.

#include "language/dag/compute_dag.h"
#include "language/tensor/wide_tensor.h"
#include "networks/graph/function.h"
#include "networks/graph/function_builder.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

constexpr uint64_t kAllEdges = 10;
constexpr uint64_t kSmallEdges = 8; // of which sums do not leave the type

/// What parameters are filled with; constants keep their numbers.
struct ValueRange {
    double low = -1;
    double high = 1;
    /// Every third is one of so many that are infinite, no number, zeros, very small or, the last ones, very large.
    uint64_t edges = 0;
};
using ValueRanges = std::map<std::string, ValueRange>; // by the value's name

/// All nodes of the function as one DAG, over parameters and constants that are drawn from the seed. Empty when it
/// agrees with the reference, to the digits of the types; else a sentence.
std::string referenceDifference(const FunctionPtr &function, uint64_t seed, const ValueRanges &ranges = {});

/// Parameters and constants, drawn from the seed, and what the reference makes of them; by value. Throws Error where an
/// operator has no reference.
std::map<int, WideTensor> referenceValues(const GraphFunction &function, uint64_t seed, const ValueRanges &ranges = {});
/// In what the results of a DAG over these values differ from theirs; empty: in nothing but the digits of the types.
std::string differenceFrom(const std::map<int, WideTensor> &values, const GraphFunction &function,
                           const ComputeDag &dag, const std::vector<ValueId> &inputs,
                           const std::vector<ValueId> &outputs);

/// Parameters of `main`, then constants that are no literals, as far as their elements are read.
std::vector<ValueId> readInputs(const GraphFunction &function);
std::vector<NodeId> allNodes(const GraphFunction &function);

} // namespace loopscope
