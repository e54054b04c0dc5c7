#pragma once
// Loop program -> LLVM IR. Internal to codegen: only files of this folder include it, because it drags in LLVM.
//
// Three ideas carry it:
// - Index arithmetic is kept as linear forms over 64-bit values (IndexForms) until an address is needed, so that
//   constants of unrolled loops end up in the displacement of the instruction and divisions whose outcome the ranges
//   decide vanish.
// - A vectorized loop is emitted once per chunk of lanes: the loop variable's form gets a coefficient per lane. What
//   does not depend on the lane stays scalar; loads and stores look at the stride between lanes.
// - Lanes that must not act are a mask (Lanes): conditions that differ between lanes, and the lanes past the end of an
//   odd extent.
//
// The parts, each with what it owns: ModuleFrame (functions, alias facts, debug lines), IndexForms (variables and
// ranges), ValueEmitter (expressions) with ElementTypes and MathCalls, MemoryEmitter (where buffers are), LoopEmitter
// with OutlinedBody, StatementEmitter (everything else). Expressions hold indices and indices hold expressions, loops
// hold statements and statements loops: so some of the parts know each other.

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <llvm/IR/Module.h>

#include <memory>
#include <string>

namespace loopscope {

/// Thrown by the parts when a program cannot be compiled; LlvmCompiler turns it into a refusal.
struct ProgramRefused {
    std::string sentence;
};

/// Throws ProgramRefused. `debugLines`: every instruction carries the line of printProgram's text it comes from.
std::unique_ptr<llvm::Module> emitModule(const LoopProgram &program, const Target &target, llvm::LLVMContext &context,
                                         bool debugLines);

} // namespace loopscope
