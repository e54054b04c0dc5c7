#pragma once
// The block of machine code in which a kernel spends its time: what it is made of, how wide its vectors are, and how
// long the processor takes for it, port by port, as LLVM's machine code analyser has it. Instructions are told apart by
// LLVM's own description of them, read with its assembler, not by their text.
//
// Which block: of the innermost loops of the machine code the one with the most instructions executed, that is, its
// instructions times the trip counts of those loops around its most frequent program line that code generation left
// loops. A kernel without a loop: its longest function.

#include "base/outcome.h"
#include "codegen/assembly_summary.h"
#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <string>
#include <utility>
#include <vector>

namespace loopscope {

/// Each instruction is of one kind.
struct InstructionMix {
    int fmas = 0;             // of vectors
    int vectorArithmetic = 0; // all other
    int scalarArithmetic = 0; // on floats
    int shuffles = 0;         // lanes moved about
    int loads = 0;            // that do nothing else; broadcasts among them
    int stores = 0;
    int moves = 0;   // between registers
    int address = 0; // whole numbers: addresses and counters
    int branches = 0;
    int calls = 0;
    int other = 0;
    [[nodiscard]] int total() const;
    bool operator==(const InstructionMix &) const = default;
};
/// Names and numbers in the order of the fields, for tables and JSON: "fmas", "vector arithmetic".
std::vector<std::pair<std::string_view, int>> namedKinds(const InstructionMix &mix);

struct BusyPort {
    std::string name;  // of the scheduling model
    double cycles = 0; // busy in an iteration
};

/// Throughput of a block run over and over, everything in the first cache.
struct PortPressure {
    std::string model; // the processor whose scheduling model was used
    /// Empty where LLVM describes the target's processor by it on purpose and by its name; else why it stands for it.
    std::string modelNote;
    double cycles = 0; // an iteration, in the long run
    int instructions = 0;
    double microOps = 0;
    int dispatchWidth = 0; // micro-operations a cycle
    std::vector<BusyPort> ports;
    std::string bound; // "Zn4FP01", "dispatch width", "dependencies"
    int leftOut = 0;   // calls, which no model knows
};

struct HotBlock {
    bool loop = true;  // else a whole function
    int firstLine = 0; // of the assembly's text, from 1
    int lastLine = 0;  // inclusive
    int programLine = 0;
    double iterations = 1; // of it, in one run of the kernel; 1 where trip counts are not known
    InstructionMix mix;
    int memoryReads = 0; // instructions that read memory, whatever else they do
    int memoryWrites = 0;
    int spillStores = 0;
    int spillReloads = 0;
    int vectorBits = 0; // of the widest arithmetic; 0: none on vectors
    PortPressure pressure;
    std::string pressureProblem; // why there is no pressure; empty: there is
};

/// `assembly` and `summary`: of the program's code for that target. Refused where there is no instruction, or one the
/// assembler cannot read.
Outcome<HotBlock> analyseHotBlock(const LoopProgram &program, const LinkedText &assembly,
                                  const AssemblySummary &summary, const Target &target);

} // namespace loopscope
