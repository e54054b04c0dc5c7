#include "codegen/runtime/runner.h"

#include "base/check.h"
#include "codegen/runtime/cpu_runner.h"
#include "codegen/runtime/cuda_runner.h"

namespace loopscope {

Outcome<std::unique_ptr<Runner>> makeRunner(const BuiltKernel &kernel) {
    switch (kernel.launch.kind) {
    case TargetKind::Llvm:
        return std::unique_ptr<Runner>(std::make_unique<CpuRunner>(kernel));
    case TargetKind::Cuda:
        return makeCudaRunner(kernel);
    }
    LOOPSCOPE_CHECK(false, "unknown kind of target");
}

} // namespace loopscope
