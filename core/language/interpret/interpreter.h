#pragma once
// The reference answer: slow, obvious evaluation of a DAG, op by op, element by element. Every measured kernel and
// every property test compares with it. Storage types round as they are stored (float16, bfloat16); accumulation of
// float32 and narrower floats happens in double, so that the reference is closer to the exact result than any kernel.
// Every element carries a bound of how far a correct kernel may be from it (error_bound.h).

#include "language/dag/compute_dag.h"

#include <cstdint>
#include <vector>

namespace loopscope {

/// A dense row-major tensor value; elements widened to double (floats) or kept as int64 (integers, bool).
struct TensorValue {
    DType dtype = DType::Float32;
    std::vector<int64_t> shape;
    std::vector<double> floats;    // when isFloat(dtype)
    std::vector<int64_t> integers; // otherwise
    /// Of |kernel - reference|, per element; infinity where nothing can be said. Empty: a kernel has exactly these
    /// values. Meant for results; whoever fills in inputs leaves it out.
    std::vector<float> bounds = {};
    [[nodiscard]] size_t size() const;
};

/// `inputs` one per placeholder among dag.args(), in that order; returns one per output among dag.args().
/// `threads` only speeds it up; the result does not depend on it.
std::vector<TensorValue> interpret(const ComputeDag &dag, const std::vector<TensorValue> &inputs, int threads = 1);

/// The same for tensors of any of its ops, stages on the way among them.
std::vector<TensorValue> interpretStages(const ComputeDag &dag, const std::vector<TensorValue> &inputs,
                                         const std::vector<const Tensor *> &stages, int threads = 1);

/// Sums may overflow, and infinities may cancel: which element is then infinite or NaN is a matter of the order, and
/// does not say which term was there. Where that is not sure the answer becomes a number without a bound.
void openOverflows(TensorValue &output);

/// Seeded inputs for a DAG: floats uniform in [-1, 1) (so that errors do not hide behind large sums), integers small,
/// but where they are read as indices over the whole extent and now and then beside it.
std::vector<TensorValue> randomInputs(const ComputeDag &dag, uint64_t seed);

} // namespace loopscope
