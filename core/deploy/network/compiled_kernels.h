#pragma once
// Kernels for the virtual machine: a function without statements is optimised, partitioned and compiled when it is
// first called with its sizes, and what was built is kept for those sizes. So a size that nobody has seen is answered
// after one compilation, and all others at once. What cannot be compiled is left to the reference, and said.

#include "deploy/plan/run_progress.h"
#include "deploy/vm/kernel_runner.h"
#include "language/target/target.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

struct CompiledKernelOptions {
    int threads = 0;                 // of kernels and reference; <= 0: as many as the machine has
    uint64_t seed = 0;               // of default schedules
    PackedFinder packed = nullptr;   // of functions from outside
    RunProgress *progress = nullptr; // told which kernel runs
};

class CompiledKernels : public KernelRunner {
  public:
    explicit CompiledKernels(Target target, const CompiledKernelOptions &options = {});
    ~CompiledKernels() override;

    /// A node by itself: by the reference.
    Outcome<std::vector<WideTensor>> run(const GraphFunction &function, const Node &node,
                                         std::span<const WideTensor *const> inputs) override;
    std::optional<Outcome<std::vector<WideTensor>>> runFunction(const GraphFunction &function,
                                                                std::span<const WideTensor *const> inputs) override;

    /// Functions that were compiled, each once for each of its sizes.
    [[nodiscard]] size_t compilations() const { return m_compilations; }
    /// Which functions are left to the reference, and why; a sentence each.
    [[nodiscard]] const std::vector<std::string> &notes() const { return m_notes; }

  private:
    struct Compiled;
    std::unique_ptr<Compiled> compile(const GraphFunction &function, std::span<const WideTensor *const> inputs);

    Target m_target;
    CompiledKernelOptions m_options;
    ReferenceKernels m_reference;
    std::map<std::string, std::unique_ptr<Compiled>, std::less<>> m_compiled; // by function and sizes; null: it is not
    std::vector<std::string> m_notes;
    size_t m_compilations = 0;
};

} // namespace loopscope
