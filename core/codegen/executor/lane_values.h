#pragma once
// The expressions of a kernel as instructions. What can be computed before a loop begins is placed there: every loop is
// a level with a beginning of its own (its prologue), and a value that cannot fail belongs to the innermost level that
// it depends on. What reads memory stays where it stands.

#include "codegen/executor/simt_program.h"
#include "language/expr/interval.h"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace loopscope {

/// Thrown for what the executor cannot run; becomes a Refusal.
struct NotExecutable {
    std::string sentence;
};

class LaneValues {
  public:
    explicit LaneValues(SimtKernel &kernel) : m_kernel(kernel) {}

    // --- Levels ---
    void openLevel();
    /// The instructions of the level, its prologue first.
    std::vector<SimtInstruction> closeLevel();
    std::vector<SimtInstruction> &body() { return m_levels.back().body; }

    // --- Variables ---
    /// A register that the machine or a loop fills, known from the innermost level on.
    int32_t addVariable(Expr var, bool varying, Interval range);
    void bind(Expr var, int32_t reg, Interval range);
    void unbind() { m_ranges.pop_back(); }

    // --- Values ---
    int32_t compile(Expr e);
    int32_t constant(int64_t value, DType type);
    /// The same in a register that stays as it is when memory changes.
    int32_t lasting(int32_t reg, DType type);
    [[nodiscard]] bool varying(int32_t reg) const { return m_kernel.registers[static_cast<size_t>(reg)].varying; }
    /// A load or a store of an element.
    int32_t addAccess(const Buffer &buffer, std::span<const Expr> indices, bool store);
    int32_t bufferNumber(const Buffer &buffer);
    [[nodiscard]] Interval rangeOf(Expr e) const { return intervalOf(e, m_ranges); }

    // --- Masks ---
    int32_t mask() const { return m_mask; }
    /// Instructions appended to the body from here to endMask are for the lanes where `condition` holds, or does not.
    struct OpenMask {
        size_t at = 0;
        int32_t parent = -1;
        bool lanes = true; // else a jump
        size_t known = 0;
    };
    OpenMask beginMask(int32_t condition, bool holds);
    void endMask(const OpenMask &mask);
    int32_t newSlot() { return m_kernel.maskSlots++; }
    void setMask(int32_t mask) { m_mask = mask; }

    /// What was read before may have changed.
    void beginStatement(int32_t stmt);

  private:
    /// Where a value can be computed.
    struct Known {
        int32_t level = 0;
        bool inBody = false; // where it stands
    };
    struct Level {
        std::vector<SimtInstruction> prologue;
        std::vector<SimtInstruction> body;
        std::vector<std::tuple<int, int, int, int, int, int>> values; // keys of m_values
    };
    struct Term {
        int32_t reg = -1;
        int64_t factor = 1;
    };
    struct Linear {
        int64_t base = 0;
        std::vector<Term> terms;
    };

    int32_t newRegister(DType type, bool varying, Known known);
    int32_t emit(SimtInstruction in);
    int32_t value(ExprKind kind, DType type, DType operand, int32_t a, int32_t b = -1, int32_t c = -1,
                  Intrinsic intrinsic = {});
    int32_t cast(int32_t reg, DType from, DType to);
    int32_t compileNode(Expr e);
    int32_t compileChoice(Expr condition, Expr yes, Expr no, DType type);
    int32_t compileLogical(Expr e);
    int32_t compileLoad(Expr e);
    void addLinear(Linear &sum, Expr e, int64_t factor);
    LaneSum laneSum(Linear sum);

    SimtKernel &m_kernel;
    std::vector<Level> m_levels;
    std::vector<Known> m_known; // of registers
    std::vector<VarRange> m_ranges;
    std::unordered_map<const ExprNode *, int32_t> m_variables;
    std::vector<std::pair<const ExprNode *, int32_t>> m_read; // values of this statement
    std::map<std::tuple<int, int, int, int, int, int>, int32_t> m_values;
    std::map<std::pair<int, int64_t>, int32_t> m_integers;
    int32_t m_mask = -1;
    int32_t m_stmt = -1;
    int32_t m_scratch = 0;
};

} // namespace loopscope
