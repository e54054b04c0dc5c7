#pragma once
// Operators on constants: by the reference evaluation of the catalogue, in double precision; but where only elements
// move, bytes are moved, and a splat stays one where every element of the result is the same.

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "networks/graph/function.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace loopscope {

struct GraphPassContext;

struct ConstantEvaluation {
    /// The pool of the context, or one of its own.
    explicit ConstantEvaluation(GraphPassContext &context);

    /// One tensor per output. Refuses what the operator refuses, results that are larger than the limit and than
    /// all inputs as they are stored, and what folding has not the memory for. Inputs that are left out are null.
    [[nodiscard]] Outcome<std::vector<HostTensor>> evaluate(const Node &node,
                                                            const std::vector<const HostTensor *> &inputs) const;
    /// Of an operator with one output.
    [[nodiscard]] Outcome<HostTensor> evaluate(const std::string &op, const std::vector<const HostTensor *> &inputs,
                                               Attributes attributes = {}) const;

  private:
    uint64_t m_maxBytes;
    uint64_t m_maxGrown;
    uint64_t *m_grown; // GraphPassContext::grownBytes
    std::shared_ptr<ThreadPool> m_pool;
};

enum class Composition : uint8_t { Product, Sum };
/// Whether a number that is composed of others stands for them in this type: it is as exact as they are, being in range
/// and, of a product, not so small that it loses digits; or one of them is none of these either (a zero, an infinity).
/// 1e-25 twice is no 1e-50 in float32, nor do 1e20 and 1e30 make a weight, nor are 1e20 and -1e20 a shift by nothing.
/// Integers wrap and always do.
bool standsFor(double composed, std::initializer_list<double> parts, DType type, Composition by);
/// The same of every element of a tensor that is composed of two, which broadcast.
bool standsFor(const HostTensor &composed, const HostTensor &a, const HostTensor &b, Composition by);

/// Axis i of the result is axis permutation[i] of the tensor.
HostTensor transposed(const HostTensor &tensor, const std::vector<size_t> &permutation);
/// The same number everywhere: a splat, or one element.
bool isUniform(const HostTensor &tensor);
/// A splat with the one element of a uniform tensor.
HostTensor spread(const HostTensor &uniform, DType dtype, std::vector<int64_t> dims);

} // namespace loopscope
