#pragma once
// Compiles a loop program, runs it between guard pages and compares its outputs with the reference interpreter.

#include "codegen/kernel_code.h"
#include "dag/compute_dag.h"

#include <cstdint>
#include <string>

namespace loopscope {

/// Empty when the kernel computes what the interpreter computes (within the DAG's tolerance), else what differs and
/// where. Outputs are poisoned before. Every buffer's last byte touches an inaccessible page (`alignFront` false) or
/// its first one does.
std::string checkKernel(const LoopProgram &program, const ComputeDag &dag, LlvmCompiler &compiler, uint64_t seed,
                        bool alignFront = false);

/// The compiler of this machine, one per process.
LlvmCompiler &hostCompiler();

} // namespace loopscope
