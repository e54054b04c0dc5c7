#pragma once
// A schedule as the texts a person reads, made in an isolated child: the code generator may crash on a schedule nobody
// has measured yet, take forever on a huge one, or eat all memory, and none of that may take a window with it.

#include "base/outcome.h"
#include "codegen/assembly_summary.h"
#include "codegen/compiler_remark.h"
#include "codegen/hot_block.h"
#include "codegen/kernel_code.h"
#include "language/task/task.h"
#include "measure/fault.h"
#include "schedule/step.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct Disassembly {
    std::string loops;       // printProgram's text; what the links lead to
    LinkedText ir;           // optimised
    LinkedText assembly;     // of GPUs PTX
    AssemblySummary summary; // of processors, as what follows
    HotBlock hot;
    std::string hotProblem; // why there is no hot block; empty: there is
    std::vector<CompilerRemark> remarks;
    double seconds = 0; // lowering and compiling
};

struct DisassemblyOptions {
    std::string workerPath;        // as in MeasureOptions
    double timeout = 60;           // seconds, start of the child included
    int64_t maxBytes = 64 << 20;   // of all texts together
    int64_t memoryLimitMiB = 4096; // beyond the child's start
    Fault fault = Fault::None;     // tests only
};

/// Refused with one sentence when the steps are illegal or cannot be lowered or compiled, when the child crashes, is
/// too slow, cannot be started or makes too much text, and when `cancel` is raised.
Outcome<Disassembly> disassembleSchedule(const Task &task, const Steps &steps, int layoutRewrite,
                                         const DisassemblyOptions &options = {},
                                         const std::atomic<bool> *cancel = nullptr);

} // namespace loopscope
