#pragma once
// A network as bytecode: what control flow and sizes that are found out in a run come to when nothing is left but a
// list of instructions over registers. A program stands on its network: operators and constants are named where they
// are in it, so that its text is short and every instruction tells which node it came from.
//
// A function has three files of registers. Tensors (t0, t1, ...) hold a value or nothing; integers (i0, ...) hold a
// number, symbols among dims have one each; stacks (s0, ...) gather the pieces of scanned outputs. Whoever calls hands
// the arguments to t0, t1, ... and the types of the parameters are checked, which gives symbols their numbers.
//
//     kernel t3 = "conv"(t1, t2, _) @ 0 "stem"
//                                            an operator of the network, by its node
//     call t5, t6 = "step"(t1, t3) trip i0    a function of the program; the trip is for messages
//     const t2 = "weight"                     a constant of the network
//     eval i3 = (i0 i1 less i2 and)           integers, in postfix order
//     item i1 = t1 int64 "the condition"      the one element of a tensor
//     box t4 = i0 int64[1]                    the other way; all dims are 1
//     match t5 = t4 float32[2*n, 3]           the same value, when it has that type; gives new symbols their numbers
//     alias t7 = t6                           the same value once more
//     free t6
//     stack s0 = "sums" float32[k]            an empty stack for an output, with the type of its pieces
//     push s0 = (t6)                          a piece
//     seal t8 = s0                            the pieces along a new first axis; the stack is free
//     branch i3, 7, 12                        to 7 when it is not 0
//     jump 3
//     ret (t5, t8)
//
// What an instruction writes into was free before, and everything is freed on every way to `ret`, which hands out what
// it names (verify_program.h).

#include "networks/graph/module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class Opcode : uint8_t {
    Kernel,
    Call,
    Const,
    Eval,
    Item,
    Box,
    Match,
    Alias,
    Free,
    Stack,
    Push,
    Seal,
    Branch,
    Jump,
    Ret
};
constexpr size_t kOpcodes = static_cast<size_t>(Opcode::Ret) + 1;

/// What registers an instruction takes and gives: 't', 'i', 's', or 0 for none; how many, -1 for any number.
struct OpcodeShape {
    std::string_view name;
    char outputKind = 0;
    int outputs = 0;
    char inputKind = 0;
    int inputs = 0;
};
const OpcodeShape &shapeOf(Opcode opcode);
std::optional<Opcode> opcodeFromName(std::string_view name);

enum class EvalKind : uint8_t { Number, Register, Add, Sub, Mul, FloorDiv, Less, And };
struct EvalStep {
    EvalKind kind = EvalKind::Number;
    int64_t value = 0; // the number, or the register's
    bool operator==(const EvalStep &) const = default;
};
/// "add", "floordiv", ...; empty for numbers and registers.
std::string_view evalName(EvalKind kind);
/// Numbers that wait for an operation at the same time.
constexpr size_t kMaxEvalDepth = 16;

/// Which fields count tells the opcode.
struct Instruction {
    Opcode opcode = Opcode::Ret;
    std::vector<int> outputs; // registers
    std::vector<int> inputs;  // registers; -1 is an operator's input that is left out
    std::string name;         // of the operator, function, constant, or what messages call it
    std::optional<TensorType> type;
    std::vector<EvalStep> steps; // of eval
    int trip = -1;               // of call: the integer register that counts
    int target = -1;             // of branch and jump
    int otherwise = -1;          // of branch: when the integer is 0
    NodeId node;                 // of the function of the network; invalid where none is meant
    bool operator==(const Instruction &) const = default;
};

struct BytecodeParameter {
    std::string name;
    TensorType type;
    bool operator==(const BytecodeParameter &) const = default;
};

struct BytecodeFunction {
    std::string name;                                // as that of the network
    std::vector<BytecodeParameter> parameters;       // in t0, t1, ...
    std::map<std::string, int, std::less<>> symbols; // their integer registers
    int tensors = 0;                                 // how many registers
    int integers = 0;
    int stacks = 0;
    std::vector<Instruction> code;
    bool operator==(const BytecodeFunction &) const = default;
};

/// Of one function, so that nobody is made to allocate more.
constexpr int kMaxRegisters = 1 << 20;

struct Program {
    Module network; // shares its functions; well formed
    std::vector<BytecodeFunction> functions;

    /// Null when there is none.
    [[nodiscard]] const BytecodeFunction *find(std::string_view name) const;
};

/// "t3", "_" for what is left out.
std::string registerText(char kind, int number);
/// "conv 'stem'", or "instruction 4 of `main`" where no node is named.
std::string placeText(const Program &program, const BytecodeFunction &function, size_t at);

} // namespace loopscope
