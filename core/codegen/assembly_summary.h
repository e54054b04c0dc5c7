#pragma once
// What a person looks for in thousands of lines of assembly: how many registers are in use, what is spilled to the
// stack and fetched back, and how the innermost loops, where the time goes, are made up. Read from the text the
// disassembly shows, so that both always agree. Knows x86-64.

#include "codegen/kernel_code.h"

#include <cstdint>
#include <vector>

namespace loopscope {

/// Instructions by kind. A spill is also a store, a reload also a load.
struct InstructionCounts {
    int instructions = 0;
    int fmas = 0;
    int loads = 0;
    int stores = 0;
    int spillStores = 0;
    int spillReloads = 0;
};

/// An innermost loop of the machine code.
struct AssemblyLoop {
    int firstLine = 0;   // of the text, from 1
    int lastLine = 0;    // inclusive
    int depth = 0;       // loops around it in its function, and itself
    int programLine = 0; // of printProgram's text most of it comes from; 0 = none
    InstructionCounts counts;
};

struct AssemblySummary {
    InstructionCounts counts;
    int64_t bytes = 0; // of machine code
    int vectorRegistersUsed = 0;
    int gpRegistersUsed = 0;                  // without the stack pointer
    int64_t stackBytes = 0;                   // largest frame of a function
    std::vector<AssemblyLoop> innermostLoops; // in the order of the text
};

/// `object`: the relocatable ELF file of the same code.
AssemblySummary summarizeAssembly(const LinkedText &assembly, const std::vector<char> &object);

} // namespace loopscope
