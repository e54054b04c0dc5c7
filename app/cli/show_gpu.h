#pragma once
// Forms of `show` that a schedule for a GPU has: CUDA text, PTX, machine code, and what its kernels ask for.

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <nlohmann/json.hpp>
#include <string>

namespace loopscope {

struct GpuForm {
    std::string text;
    nlohmann::ordered_json json;
};

/// All throw Error where the form does not exist, with the reason.
GpuForm cudaForm(const LoopProgram &program, const Target &target);
/// Machine code, and who made it.
GpuForm sassForm(const LoopProgram &program, const Target &target);
/// With registers and spills where ptxas is found; `refusedEarlier`: why there is no program at all, otherwise empty.
GpuForm limitsForm(const LoopProgram *program, const Target &target, const std::string &refusedEarlier);

} // namespace loopscope
