#pragma once
// The seam between a loop program and the machine it is for: one implementation for each kind of target, chosen by
// makeCodeGenerator. What it makes is run by the runner of the same kind (codegen/runtime/runner.h). Exports for
// people, such as C text (codegen/kernel_code.h), are not code generators.

#include "base/outcome.h"
#include "codegen/compiler_remark.h"
#include "codegen/kernel_code.h"
#include "codegen/kernel_launch.h"

#include <memory>
#include <vector>

namespace loopscope {

struct CodegenOptions {
    int optLevel = 3;
    bool wantIr = false;       // text of the optimised intermediate code
    bool wantAssembly = false; // text with links
    bool debugLines = false;   // needed for links
    bool wantRemarks = false;  // with debugLines they know their loops
};

struct MachineCode {
    BuiltKernel kernel;
    LinkedText ir;
    LinkedText assembly;
    std::vector<CompilerRemark> remarks;
    double seconds = 0;
};

/// Keeps what costs time to set up (a target machine): make one per worker thread or process.
class CodeGenerator {
  public:
    CodeGenerator() = default;
    virtual ~CodeGenerator() = default;
    CodeGenerator(const CodeGenerator &) = delete;
    CodeGenerator &operator=(const CodeGenerator &) = delete;
    /// Refuses programs it cannot compile, with the statement.
    virtual Outcome<MachineCode> compile(const LoopProgram &program, const CodegenOptions &options = {}) = 0;
};

/// Refuses kinds of targets that have none. Throws Error when there is one that does not know this target.
Outcome<std::unique_ptr<CodeGenerator>> makeCodeGenerator(const Target &target);

} // namespace loopscope
