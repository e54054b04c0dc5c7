#pragma once
// Operators on constants: by the reference evaluation of the catalogue, in double precision; but where only elements
// move, bytes are moved, and a splat stays one where every element of the result is the same.

#include "graph/function.h"
#include "outcome.h"
#include "thread_pool.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct GraphPassContext;

struct ConstantEvaluation {
    /// The pool of the context, or one of its own.
    explicit ConstantEvaluation(const GraphPassContext &context);

    /// One tensor per output. Refuses what the operator refuses, and results that are larger than the limit and than
    /// all inputs together. Inputs that are left out are null.
    [[nodiscard]] Outcome<std::vector<HostTensor>> evaluate(const Node &node,
                                                            const std::vector<const HostTensor *> &inputs) const;
    /// Of an operator with one output.
    [[nodiscard]] Outcome<HostTensor> evaluate(const std::string &op, const std::vector<const HostTensor *> &inputs,
                                               Attributes attributes = {}) const;

  private:
    uint64_t m_mostBytes;
    std::shared_ptr<ThreadPool> m_pool;
};

/// Axis i of the result is axis permutation[i] of the tensor.
HostTensor transposed(const HostTensor &tensor, const std::vector<size_t> &permutation);
/// The same number everywhere: a splat, or one element.
bool isUniform(const HostTensor &tensor);
/// A splat with the one element of a uniform tensor.
HostTensor spread(const HostTensor &uniform, DType dtype, std::vector<int64_t> dims);

} // namespace loopscope
