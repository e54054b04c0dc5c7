#pragma once
// Who computes the operators of a program. The machine (machine.h) knows control flow, sizes and lifetimes alone.

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "language/tensor/wide_tensor.h"
#include "networks/graph/module.h"
#include "networks/op/reference.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace loopscope {

class KernelRunner {
  public:
    KernelRunner() = default;
    KernelRunner(const KernelRunner &) = delete;
    KernelRunner &operator=(const KernelRunner &) = delete;
    virtual ~KernelRunner() = default;
    /// The node is an operator of the catalogue, or a statement that computes a value; inputs that are left out are
    /// null. One tensor for each output; refuses with a sentence that begins with the node.
    virtual Outcome<std::vector<WideTensor>> run(const GraphFunction &function, const Node &node,
                                                 std::span<const WideTensor *const> inputs) = 0;
    /// A whole function without statements, whose inputs are of the types of its parameters; nothing where it is left
    /// to the machine, which then goes through its instructions.
    virtual std::optional<Outcome<std::vector<WideTensor>>> runFunction(const GraphFunction &function,
                                                                        std::span<const WideTensor *const> inputs) {
        static_cast<void>(function);
        static_cast<void>(inputs);
        return std::nullopt;
    }
};

/// By the catalogue's own evaluation: what `runReference` computes, bit for bit.
class ReferenceKernels : public KernelRunner {
  public:
    /// `threads` <= 0: as many as the machine has.
    explicit ReferenceKernels(int threads = 0, int64_t maxElements = kMaxReferenceElements,
                              PackedFinder packed = nullptr)
        : m_pool(threads), m_maxElements(maxElements), m_packed(std::move(packed)) {}
    Outcome<std::vector<WideTensor>> run(const GraphFunction &function, const Node &node,
                                         std::span<const WideTensor *const> inputs) override;

  private:
    ThreadPool m_pool;
    int64_t m_maxElements;
    PackedFinder m_packed; // of functions from outside
};

} // namespace loopscope
