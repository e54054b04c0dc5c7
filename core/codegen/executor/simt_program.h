#pragma once
// A kernel of a GPU as a flat list of instructions, each of which is carried out for all threads of a block (its lanes)
// at once. Made by simt_compiler.h once for a kernel, run by block_machine.h for every block.
//
// What is the same in all lanes (block numbers, counters of loops, sums of them) is one value; what a loop does not
// change is computed outside of it. Jumps are relative to their instruction.

#include "codegen/loop_ir/program.h"
#include "codegen/loop_ir/shared_layout.h"
#include "language/expr/expr.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

/// How a register holds values of a type: bool and short integers as int32, float16 and bfloat16 as float32.
enum class LaneKind : uint8_t { Int32, Int64, Float32, Float64 };
LaneKind laneKindOf(DType type);
inline bool isWide(LaneKind kind) { return kind == LaneKind::Int64 || kind == LaneKind::Float64; }

struct SimtRegister {
    LaneKind kind = LaneKind::Int32;
    bool varying = false; // by lane; else one value
    bool scratch = false; // lives within a statement only
    int32_t row = 0;      // where its lanes are, in rows of 4 bytes a lane; of its own kind (scratch or not)
};

enum class SimtOp : uint8_t {
    Value,       // dst = an operation on args, in every lane
    Copy,        // dst = args[0], whatever becomes of where that was read
    Load,        // dst = element of `access`
    Store,       // element of `access` = args[0]
    Shuffle,     // dst = args[0] of lane ^ args[1]
    Mask,        // mask `slot` = lanes of mask `parent` where (args[0] != 0) == holds; jumps when there are none
    EndMask,     // back to mask `parent`
    Branch,      // jumps unless (args[0] != 0) == holds; args[0] is one value
    Jump,        //
    Loop,        // counter `slot` from 0; dst = args[0] + counter while counter < args[1]; jumps when there is none
    NextRound,   // of a Loop, back to which it jumps
    LaneLoop,    // as Loop where args[1] differs by lane: mask `slot` holds those that go on
    NextOfLanes, // of a LaneLoop
    Barrier,
    Forget, // what is in local buffer `access` was not written
};

struct SimtInstruction {
    SimtOp op = SimtOp::Value;
    ExprKind expr = ExprKind::IntImm; // Value
    Intrinsic intrinsic = {};         // of a call
    DType dtype = DType::Int32;       // of the result
    DType operand = DType::Int32;     // of the last operand
    bool varying = false;             // the result
    bool holds = true;
    int32_t dst = -1;
    std::array<int32_t, 3> args = {-1, -1, -1};
    int32_t access = -1; // of the accesses; Forget: of the buffers
    int32_t slot = -1;   // masks; loops have counters of the same numbers
    int32_t parent = -1; // mask around; -1 = all lanes
    int32_t jump = 0;
    int32_t stmt = -1; // node of the program it is of
};

/// base + uniform + varying
struct LaneSum {
    int64_t base = 0;
    int32_t uniform = -1; // an Int64 register
    int32_t varying = -1; // an Int32 register
};

struct CheckedDimension {
    LaneSum index;
    int64_t extent = 0;
    int32_t number = 0;
};

/// A load or a store of a kernel.
struct SimtAccess {
    int32_t buffer = -1;
    bool store = false;
    int32_t stmt = -1;                    // node of the program
    LaneSum offset;                       // in elements
    std::vector<CheckedDimension> unsure; // dimensions whose index may lie outside as far as ranges tell
};

struct SimtBuffer {
    const Buffer *buffer = nullptr;
    bool loaded = false; // by the kernel
    bool stored = false;
};

struct SimtConstant {
    int32_t reg = -1;
    int64_t integer = 0;
    double number = 0;
};

struct SimtKernel {
    Stmt root;
    std::array<int64_t, 3> blocks = {1, 1, 1};
    std::array<int64_t, 3> threads = {1, 1, 1};
    std::array<int32_t, 3> blockNumber = {-1, -1, -1}; // registers; -1: nobody asks
    std::array<int32_t, 3> threadNumber = {-1, -1, -1};
    std::vector<SimtRegister> registers;
    std::vector<SimtConstant> constants;
    std::vector<SimtAccess> accesses;
    std::vector<SimtBuffer> buffers;
    SharedLayout shared;
    std::vector<SimtInstruction> setup; // once for all blocks
    std::vector<SimtInstruction> code;  // of a block
    int32_t rows = 0;                   // of registers that are not scratch
    int32_t scratchRows = 0;
    int32_t maskSlots = 0;
    double work = 0; // instructions a lane carries out in a block, as far as extents are known

    [[nodiscard]] int64_t blockCount() const { return blocks[0] * blocks[1] * blocks[2]; }
    [[nodiscard]] int lanes() const { return static_cast<int>(threads[0] * threads[1] * threads[2]); }
};

} // namespace loopscope
