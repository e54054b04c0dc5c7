#pragma once
// What code generation hands on: machine code of one kernel with the texts a person reads and exact links from text lines
// back to the loops.
//
// Calling convention of the entry `loopscope_kernel`: void (void *const *args, const LoopscopeRuntime *runtime).

#include "codegen/runtime_abi.h"
#include "loop_ir/program.h"
#include "outcome.h"
#include "target/target.h"

#include <string>
#include <vector>

namespace loopscope {

/// `textLine` (from 1) of a generated text comes from `programLine` of printProgram's text; 0 = none.
struct LineLink {
    int textLine = 0;
    int programLine = 0;
};

struct LinkedText {
    std::string text;
    std::vector<LineLink> links;
};

struct CodegenOptions {
    int optLevel = 3;
    bool wantIr = false;       // optimised IR text
    bool wantAssembly = false; // text with links
    bool debugLines = false;   // needed for links
};

struct MachineCode {
    std::vector<char> object; // relocatable ELF for the host
    LinkedText ir;
    LinkedText assembly;
    double seconds = 0;
};

/// Compilable C17 with OpenMP: `void NAME(const float *A, ..., float *C)`; includes what it needs, allocates with
/// aligned_alloc. Links are exact.
LinkedText emitC(const LoopProgram &program, const Target &target);

/// Reuses one target machine per instance: make one per worker thread or process.
class LlvmCompiler {
  public:
    explicit LlvmCompiler(const Target &target); // throws Error when LLVM lacks the CPU
    ~LlvmCompiler();
    LlvmCompiler(const LlvmCompiler &) = delete;
    LlvmCompiler &operator=(const LlvmCompiler &) = delete;
    /// Refuses programs it cannot compile, with the statement.
    Outcome<MachineCode> compile(const LoopProgram &program, const CodegenOptions &options = {});

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace loopscope
