#pragma once
// Which library problem a workload is, found from the structure of its DAG and never from names: one sum of products of
// two operands; padding, dilation and transposition seen through to the placeholders; the axes told apart by which
// operand they index; then the element-wise tail. Or exponentials divided by their sum, the root of a sum of squares.
// What does not fit is refused with the reason. A wrong recognition cannot go unnoticed where the library's result is
// compared with the reference, which a benchmark should do.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "measure/baselines/baseline_problem.h"

namespace loopscope {

/// The problem and the DAG's tensors that play its parts; those the problem does not have are null.
struct RecognisedProblem {
    BaselineProblem problem;
    const Tensor *data = nullptr;
    const Tensor *weights = nullptr;
    const Tensor *bias = nullptr;
    const Tensor *scale = nullptr;
    const Tensor *offset = nullptr;
    const Tensor *residual = nullptr;
    const Tensor *out = nullptr;
};

Outcome<RecognisedProblem> recognise(const ComputeDag &dag);

} // namespace loopscope
