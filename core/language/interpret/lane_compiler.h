#pragma once
// The expressions of an op, compiled into the instructions of a LaneProgram. A register is the number of an
// instruction.
//
// What an if_then_else, a select, && or || does not need is not evaluated: such operands that could read outside a
// tensor or divide by zero run under a mask of the lanes that need them.

#include "language/dag/affine_offset.h"
#include "language/interpret/lane_program.h"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope {

class LaneCompiler {
  public:
    /// Into `program`, which has no instructions yet. `values` finds the data of loaded tensors; they must stay in
    /// place while the program is used.
    LaneCompiler(LaneProgram &program, const LaneProgram::TensorValues &values);

    /// Throws Error when a load that is always evaluated reads outside its tensor.
    int compile(Expr e, int mask = kUnmasked);
    /// Lanes of the mask `parent` where the bool register is `holds`.
    int addMask(int condition, bool holds, int parent);
    /// A register whose own memory the caller fills with values of `var`, for instructions of the combiner; `bounded`:
    /// with their errors as well.
    int addVariable(Expr var, bool bounded);
    /// What is compiled from now on runs in LaneProgram::combine alone.
    void beginCombiner() { m_program.m_combinerBegin = m_program.m_instructions.size(); }
    /// From now on the variable has the value of that register.
    void bind(Expr var, int reg) { m_variables[var.node()] = reg; }

  private:
    int append(LaneInstruction instruction);
    int compileNode(Expr e, int mask);
    int compileLoad(Expr e, int mask);
    int compileBranches(Expr e, LaneInstruction instruction);
    /// Float functions take floats, whatever they were given.
    void widenOperands(Expr call, LaneInstruction &instruction);
    /// Can be evaluated for any values of the axes.
    [[nodiscard]] bool safe(Expr e) const;
    [[nodiscard]] const TensorValue &valueOf(Expr load) const;

    LaneProgram &m_program;
    const LaneProgram::TensorValues &m_values;
    std::vector<VarRange> m_ranges; // of the axes
    std::unordered_map<const ExprNode *, int> m_variables;
    std::unordered_map<const ExprNode *, Expr> m_dividing;      // by 0, perhaps: computed where they are read
    std::map<std::pair<const ExprNode *, int>, int> m_compiled; // expression under a mask
};

} // namespace loopscope
