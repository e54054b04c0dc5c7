#pragma once
// What a GPU's own assembler makes of the PTX of a schedule: machine code as text, and what each kernel takes of the
// machine. The assembler is NVIDIA's, which may be missing; then it says so, and what to do.

#include "codegen/kernel_code.h"
#include "language/task/task.h"
#include "schedule/step.h"
#include "views/session/kernel_facts.h"

#include <atomic>
#include <memory>

namespace loopscope {

struct Disassembly; // measure/disassembly.h

struct GpuCode {
    LinkedText sass;
    QString sassProblem;              // why there is none; empty: there is
    std::vector<KernelFacts> kernels; // with their registers unless figuresProblem says why not
    QString figuresProblem;
    QString assembler; // "ptxas 13.5.37"

    /// Nothing is missing that another try could bring.
    [[nodiscard]] bool complete() const { return sassProblem.isEmpty() && figuresProblem.isEmpty(); }
};
using GpuCodePtr = std::shared_ptr<const GpuCode>;

/// Of the disassembly of these steps. Starts the assembler and waits for it; not for the UI thread.
GpuCodePtr makeGpuCode(const Task &task, const Steps &steps, int layoutRewrite, const Disassembly &disassembly,
                       const std::atomic<bool> &cancel);

} // namespace loopscope
