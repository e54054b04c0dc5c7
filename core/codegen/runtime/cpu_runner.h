#pragma once
// Kernels of processors: called in this process, on threads of its pool.

#include "codegen/runtime/loaded_kernel.h"
#include "codegen/runtime/runner.h"

namespace loopscope {

class CpuRunner final : public Runner {
  public:
    /// Throws Error when the object cannot be loaded.
    explicit CpuRunner(const BuiltKernel &kernel);

    void prepare(int threads) override;
    std::unique_ptr<KernelCall> bind(const ArgumentData &data) override;
    std::unique_ptr<KernelCall> bindGuarded(KernelCall &source, GuardSide side) override;

  private:
    LoadedKernel m_kernel;
    std::vector<KernelArg> m_args;
};

} // namespace loopscope
