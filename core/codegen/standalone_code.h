#pragma once
// A kernel that goes where Loopscope is not: behind a plain function of C, in files every toolchain takes. The code is
// that of codegen/code_generator.h; what it needs at run time is C's library and, where a loop is parallel, OpenMP's
// (libgomp, or LLVM's libomp, which has the same functions).

#include "base/outcome.h"
#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <string>
#include <vector>

namespace loopscope {

struct StandaloneCode {
    std::string ir;       // LLVM's, optimised
    std::string assembly; // as GNU's assembler and Clang read it
    std::vector<char> object;
    bool startsThreads = false; // needs OpenMP's library
};

/// `function`: `void NAME(const T *first, ..., T *last)`, arguments in the order of the program; a name of C. Refuses
/// programs that cannot be compiled, and targets that are no processors. Throws Error as makeCodeGenerator does.
Outcome<StandaloneCode> makeStandaloneCode(const LoopProgram &program, const Target &target,
                                           const std::string &function);

} // namespace loopscope
