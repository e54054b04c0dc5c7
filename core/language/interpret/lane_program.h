#pragma once
// The expressions of one op as a list of instructions (made by lane_compiler.h), each of which computes its value for
// all lanes of a LaneNest at once: double lanes for floats, int64 lanes for integers and bool. An instruction runs
// again only when a loop advances that it depends on; one that depends on no lane axis computes one value.
//
// Beside each value that rounding may have touched stands a bound of its error (error_bound.h): a share of the value
// where that is all there is to say, otherwise lanes of their own.

#include "language/interpret/interpreter.h"
#include "language/interpret/lane_nest.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope {

/// Values of one instruction: one per lane, or a single one (`varying` false).
template <typename T> struct LaneValues {
    const T *at = nullptr;
    bool varying = false;
    T operator[](int lane) const { return at[varying ? lane : 0]; }
};

/// What one thread computes in: where every loop stands, and a register per instruction.
struct LaneState {
    struct Register {
        double *ownFloats = nullptr;
        int64_t *ownInts = nullptr;
        const double *floats = nullptr; // own memory, or the tensor's where that lies right
        const int64_t *ints = nullptr;
        double *errors = nullptr;    // of bounded instructions
        bool any = true, all = true; // masks: lanes that are set
    };
    std::vector<int64_t> counters; // per loop
    std::vector<int64_t> values;   // per axis; of the first lane for lane axes
    int width = 1;                 // lanes
    std::vector<Register> registers;
    std::vector<double> floatMemory;
    std::vector<int64_t> intMemory;
    std::vector<double> errorMemory;
    std::vector<std::vector<int>> moved; // instructions to run when loop i - 1 has moved; [0]: all
};

constexpr int kUnmasked = -1; // no mask: for all lanes

/// One step of the program; what it computes is a register of the same number.
struct LaneInstruction {
    enum class Kind : uint8_t { Value, Mask, Axis, External };
    Kind kind = Kind::Value;
    ExprKind expr = ExprKind::IntImm;
    Intrinsic intrinsic = Intrinsic::IfThenElse;
    DType dtype = DType::Bool;
    DType operandType = DType::Bool; // of the first operand; of both sides of a comparison
    int args[3] = {-1, -1, -1};
    int mask = kUnmasked;
    int level = -1;       // innermost loop it depends on
    bool varying = false; // between lanes
    bool holds = true;    // Mask
    size_t axis = 0;      // Axis
    int load = -1;
    int64_t intValue = 0;
    double floatValue = 0;
    bool bounded = false; // error lanes of its own; otherwise relative*|value| + absolute
    double relative = 0;
    double absolute = 0;
};

/// One load of the program.
struct LaneLoad {
    const TensorSymbol *symbol = nullptr;
    const TensorValue *value = nullptr;
    int64_t elements = 0;
    // affine:
    bool affine = false;
    bool inside = false; // whatever the axes
    int64_t base = 0;
    std::vector<std::pair<size_t, int64_t>> terms; // axis, stride: what the loops add
    std::vector<int64_t> lanes;                    // what each lane adds
    bool contiguous = false;                       // lane i adds i
    // otherwise:
    std::vector<int> indices;
};

class LaneProgram {
  public:
    using TensorValues = std::unordered_map<const TensorSymbol *, const TensorValue *>;
    /// Without instructions. `noticesExact`: values that the type holds exactly are noticed one by one (grain.h), which
    /// takes longer.
    LaneProgram(std::string opName, LaneNest nest, bool noticesExact);

    [[nodiscard]] LaneState makeState() const;
    /// To a point of the spatial loops, all reduce loops at their beginning.
    void start(LaneState &state, int64_t block) const;
    /// Next point; the number of the outermost loop that moved, -1 when all loops have ended.
    int advance(LaneState &state) const;
    /// The instructions of the combiner.
    void combine(LaneState &state) const;

    [[nodiscard]] const std::string &opName() const { return m_opName; }
    [[nodiscard]] const LaneNest &nest() const { return m_nest; }
    [[nodiscard]] bool noticesExact() const { return m_noticesExact; }
    [[nodiscard]] const LaneInstruction &instruction(int reg) const { return m_instructions[static_cast<size_t>(reg)]; }
    [[nodiscard]] const LaneLoad &load(int number) const { return m_loads[static_cast<size_t>(number)]; }

    [[nodiscard]] LaneValues<double> floats(const LaneState &state, int reg) const {
        return {state.registers[static_cast<size_t>(reg)].floats, instruction(reg).varying};
    }
    [[nodiscard]] LaneValues<int64_t> ints(const LaneState &state, int reg) const {
        return {state.registers[static_cast<size_t>(reg)].ints, instruction(reg).varying};
    }
    /// Whether a kernel has exactly these values.
    [[nodiscard]] bool exact(int reg) const {
        const LaneInstruction &in = instruction(reg);
        return !in.bounded && in.relative == 0 && in.absolute == 0;
    }
    /// Whether a register has error lanes; without them it is off by at most errorShare*|value| + errorOwn.
    [[nodiscard]] bool bounded(int reg) const { return instruction(reg).bounded; }
    [[nodiscard]] double errorShare(int reg) const { return instruction(reg).relative; }
    [[nodiscard]] double errorOwn(int reg) const { return instruction(reg).absolute; }

    [[noreturn]] void failOutside(const LaneLoad &load) const;

  private:
    friend class LaneCompiler;
    void runMoved(LaneState &state, int loop) const;
    void execute(const LaneInstruction &in, LaneState &state, LaneState::Register &out) const;

    std::string m_opName;
    LaneNest m_nest;
    int m_chunkLoop = -1;
    bool m_noticesExact = false;
    std::vector<LaneInstruction> m_instructions;
    std::optional<size_t> m_combinerBegin;
    std::vector<LaneLoad> m_loads;
};

} // namespace loopscope
