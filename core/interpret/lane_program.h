#pragma once
// The expressions of one op as a list of instructions, each of which computes its value for all lanes of a LaneNest at
// once: double lanes for floats, int64 lanes for integers and bool. An instruction runs again only when a loop advances
// that it depends on; one that depends on no lane axis computes one value.
//
// Beside each value that rounding may have touched stands a bound of its error (error_bound.h): a share of the value
// where that is all there is to say, otherwise lanes of their own.
//
// What an if_then_else, a select, && or || does not need is not evaluated: such operands that could read outside a
// tensor or divide by zero run under a mask of the lanes that need them.

#include "dag/affine_offset.h"
#include "interpret/interpreter.h"
#include "interpret/lane_nest.h"

#include <map>
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

class LaneProgram {
  public:
    using TensorValues = std::unordered_map<const TensorSymbol *, const TensorValue *>;
    /// `values` finds the data of loaded tensors; they must stay in place while the program is used.
    LaneProgram(std::string opName, LaneNest nest, const TensorValues &values);

    static constexpr int kAlways = -1; // no mask

    /// From now on values that the type holds exactly are noticed one by one (grain.h), which takes longer.
    void noticeExact() { m_noticesExact = true; }
    [[nodiscard]] bool noticesExact() const { return m_noticesExact; }

    // --- compiling: registers are numbers of instructions ---
    /// Throws Error when a load that is always evaluated reads outside its tensor.
    int compile(Expr e, int mask = kAlways);
    /// Lanes of the mask `parent` where the bool register is `holds`.
    int addMask(int condition, bool holds, int parent);
    /// A register whose own memory the caller fills with values of `var`, for instructions of the combiner; `bounded`:
    /// with their errors as well.
    int addVariable(Expr var, bool bounded);
    /// What is compiled from now on runs in combine() alone.
    void beginCombiner() { m_combinerBegin = m_instructions.size(); }
    /// From now on the variable has the value of that register.
    void bind(Expr var, int reg) { m_variables[var.node()] = reg; }

    // --- running ---
    [[nodiscard]] LaneState makeState() const;
    /// To a point of the spatial loops, all reduce loops at their beginning.
    void start(LaneState &state, int64_t block) const;
    /// Next point; the number of the outermost loop that moved, -1 when all loops have ended.
    int advance(LaneState &state) const;
    void combine(LaneState &state) const;

    [[nodiscard]] const LaneNest &nest() const { return m_nest; }
    [[nodiscard]] LaneValues<double> floats(const LaneState &state, int reg) const;
    [[nodiscard]] LaneValues<int64_t> ints(const LaneState &state, int reg) const;
    /// Whether a kernel has exactly these values.
    [[nodiscard]] bool exact(int reg) const;
    /// Whether a register has error lanes; without them it is off by at most errorShare*|value| + errorOwn.
    [[nodiscard]] bool bounded(int reg) const { return m_instructions[static_cast<size_t>(reg)].bounded; }
    [[nodiscard]] double errorShare(int reg) const { return m_instructions[static_cast<size_t>(reg)].relative; }
    [[nodiscard]] double errorOwn(int reg) const { return m_instructions[static_cast<size_t>(reg)].absolute; }
    /// Bounds of a register's error; `room` for kLanes of them, should they have to be computed.
    [[nodiscard]] LaneValues<double> errors(const LaneState &state, int reg, double *room) const;

  private:
    struct Instruction {
        enum class Kind : uint8_t { Value, Mask, Axis, External };
        Kind kind = Kind::Value;
        ExprKind expr = ExprKind::IntImm;
        Intrinsic intrinsic = Intrinsic::IfThenElse;
        DType dtype = DType::Bool;
        DType operandType = DType::Bool; // of the first operand; of both sides of a comparison
        int args[3] = {-1, -1, -1};
        int mask = kAlways;
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
    struct Load {
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

    int append(Instruction instruction);
    void classifyError(Instruction &instruction) const;
    int compileNode(Expr e, int mask);
    int compileLoad(Expr e, int mask);
    int compileBranches(Expr e, Instruction instruction);
    /// Float functions take floats, whatever they were given.
    void widenOperands(Expr call, Instruction &instruction);
    /// Can be evaluated for any values of the axes.
    [[nodiscard]] bool safe(Expr e) const;
    [[nodiscard]] const TensorValue &valueOf(Expr load) const;

    void runMoved(LaneState &state, int loop) const;
    void execute(const Instruction &in, LaneState &state, LaneState::Register &out) const;
    void executeValue(const Instruction &in, const LaneState &state, LaneState::Register &out, int lanes,
                      const int64_t *active) const;
    void executeFloat(const Instruction &in, const LaneState &state, double *out, int lanes) const;
    void executeInt(const Instruction &in, const LaneState &state, int64_t *out, int lanes,
                    const int64_t *active) const;
    void executeMask(const Instruction &in, const LaneState &state, LaneState::Register &out, int lanes) const;
    template <typename T>
    void executeLoad(const Load &load, const T *data, const LaneState &state, const T *&at, T *own, int lanes,
                     const int64_t *active) const;
    void generalOffsets(const Load &load, const LaneState &state, int64_t *offsets, int lanes,
                        const int64_t *active) const;
    void divide(const Instruction &in, const LaneState &state, int64_t *out, int lanes, const int64_t *active) const;
    void executeError(const Instruction &in, const LaneState &state, LaneState::Register &out, int lanes,
                      const int64_t *active) const;
    void executeLoadError(const Instruction &in, const LaneState &state, double *own, int lanes,
                          const int64_t *active) const;
    /// No bound for what every kernel computes to the last bit.
    void dropExactErrors(const Instruction &in, const LaneState &state, LaneState::Register &out,
                         const LaneValues<double> *error, int lanes) const;
    void floatError(const Instruction &in, const LaneState &state, LaneState::Register &out,
                    const LaneValues<double> *error, int lanes) const;
    void intError(const Instruction &in, const LaneState &state, LaneState::Register &out,
                  const LaneValues<double> *error, int lanes) const;
    [[noreturn]] void failOutside(const Load &load) const;

    std::string m_opName;
    LaneNest m_nest;
    const TensorValues &m_values;
    std::vector<VarRange> m_ranges; // of the axes
    int m_chunkLoop = -1;
    bool m_noticesExact = false;
    std::unordered_map<const ExprNode *, int> m_variables;
    std::map<std::pair<const ExprNode *, int>, int> m_compiled; // expression under a mask
    std::vector<Instruction> m_instructions;
    std::optional<size_t> m_combinerBegin;
    std::vector<Load> m_loads;
};

} // namespace loopscope
