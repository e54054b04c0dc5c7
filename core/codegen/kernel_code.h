#pragma once
// Code as a person reads it, with exact links from its lines back to the loops.

#include "base/outcome.h"
#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

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

/// Compilable C17 with OpenMP: `void NAME(const float *A, ..., float *C)`; includes what it needs, allocates with
/// aligned_alloc. Links are exact.
LinkedText emitC(const LoopProgram &program, const Target &target);

} // namespace loopscope
