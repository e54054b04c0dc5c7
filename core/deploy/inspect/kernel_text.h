#pragma once
// A kernel of a plan as text, in the forms in which people read one.

#include "base/outcome.h"
#include "deploy/plan/execution_plan.h"
#include "language/task/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class KernelForm : uint8_t {
    Loops,       // the lowered loop program
    C,           // with OpenMP
    LlvmIr,      // optimised
    Assembly,    // as LLVM prints it
    Disassembly, // of the machine code that runs
};
std::string_view kernelFormName(KernelForm form); // "loops", "c", "ir", "assembly", "disassembly"
std::optional<KernelForm> kernelFormFromName(std::string_view name);
const std::vector<KernelForm> &allKernelForms();

/// Without the task (a plan that was read from files) there is the disassembly alone. Refused with what there is
/// instead, and of kernels that a library computes.
Outcome<std::string> kernelText(const PlanKernel &kernel, const Task *task, const Target &target, KernelForm form);

} // namespace loopscope
