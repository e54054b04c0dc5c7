#pragma once
// A computation as te.placeholder, te.reduce_axis and te.compute: what both Python exports begin with.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "schedule/translate/identifiers.h"
#include "schedule/translate/infix_text.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct PythonDialect {
    std::string_view scalars;    // the module of scalar expressions: "tir", "tirx"
    bool attributes = false;     // ops carry theirs
    bool plainEquality = false;  // `a == b` is an expression, not a truth value
    bool boundedIndices = false; // what is read to be an index is kept within the tensor, and in 32 bits
};

/// What te.compute cannot say, if there is something: a scan, or terms with computed places.
std::optional<Refusal> whyNoTeCompute(const ComputeDag &dag);

class PythonComputes {
  public:
    /// Tensors and axes get names from `names`, which has what the file uses otherwise.
    PythonComputes(const ComputeDag &dag, Identifiers &names, const PythonDialect &dialect);

    /// Lines without indentation.
    [[nodiscard]] const std::vector<std::string> &lines() const { return m_lines; }
    [[nodiscard]] const std::string &tensor(size_t op, size_t output = 0) const { return m_tensors[op][output]; }
    /// Tensors that are the arguments, in the order of the task.
    [[nodiscard]] std::vector<std::string> arguments() const;
    /// Of the op: that of its tensor where it has one only.
    [[nodiscard]] const std::string &name(size_t op) const { return m_names[op]; }
    [[nodiscard]] const std::vector<std::string> &axes(size_t op) const { return m_axes[op]; }

  private:
    void writePlaceholder(size_t op);
    void writeCompute(size_t op);
    [[nodiscard]] std::string reducer(size_t op);
    [[nodiscard]] std::string attribute(std::string_view key, const AttrValue &value) const;
    [[nodiscard]] std::string expression(Expr e) const { return infixOf(e).text; }
    [[nodiscard]] InfixText infixOf(Expr e) const;
    [[nodiscard]] InfixText operandOf(Expr e, Expr other) const;
    [[nodiscard]] InfixText binaryOf(Expr e) const;
    [[nodiscard]] std::string constant(Expr e) const;
    [[nodiscard]] std::string callOf(Expr e) const;
    [[nodiscard]] std::string loadOf(Expr e) const;
    [[nodiscard]] std::string indexOf(Expr index, int64_t extent) const;
    [[nodiscard]] std::string castOf(Expr e, DType type) const;
    [[nodiscard]] std::string scalar(std::string_view function, std::initializer_list<std::string> arguments) const;
    [[nodiscard]] std::string variable(const ExprNode *node) const;

    const ComputeDag &m_dag;
    Identifiers &m_all;
    PythonDialect m_dialect;
    std::vector<std::string> m_names;
    std::vector<std::vector<std::string>> m_tensors;
    std::vector<std::vector<std::string>> m_axes;                      // spatial, then those summed over
    std::vector<std::pair<const ExprNode *, std::string>> m_variables; // of the op being written
    std::vector<std::string> m_lines;
    size_t m_op = 0; // being written
};

/// With what no name of a Python file may be.
Identifiers pythonNames();

} // namespace loopscope
