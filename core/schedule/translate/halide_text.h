#pragma once
// A computation as Halide's Funcs: declarations, definitions, and the names that a schedule of them uses.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "language/expr/interval.h"
#include "language/te/scan.h"
#include "schedule/bound_inference.h"
#include "schedule/translate/identifiers.h"
#include "schedule/translate/infix_text.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

class HalideFuncs {
  public:
    /// Funcs and variables get names from `names`, which has what the file uses otherwise.
    /// With `clampInputs` no index leaves an input, whatever region of a Func is computed.
    HalideFuncs(const BoundedState &bounded, Identifiers &names, bool clampInputs);

    /// What Halide cannot compute, if there is something.
    [[nodiscard]] const std::optional<Refusal> &refused() const { return m_refused; }
    /// Statements without indentation.
    [[nodiscard]] const std::vector<std::string> &lines() const { return m_lines; }
    /// The Func or ImageParam of an op.
    [[nodiscard]] const std::string &name(size_t op) const { return m_names[op]; }
    /// Variables of the op's axes, then of those summed over.
    [[nodiscard]] const std::vector<std::string> &axes(size_t op) const { return m_axes[op]; }
    /// Where the sum is written as the loops that steps made of it (halide_terms.h), or a scan goes along an axis:
    /// their variables, by node.
    [[nodiscard]] const std::map<int, std::string> &terms(size_t op) const { return m_terms[op]; }

  private:
    void writePlaceholder(size_t op);
    void writeCompute(size_t op);
    void writeScan(size_t op, const Scan &scan);
    void writeDomain(size_t op);
    void writeUpdate(size_t op, const std::string &element);
    [[nodiscard]] std::string expression(Expr e) { return infixOf(e).text; }
    [[nodiscard]] InfixText infixOf(Expr e);
    [[nodiscard]] InfixText operandOf(Expr e, Expr other);
    [[nodiscard]] InfixText binaryOf(Expr e);
    [[nodiscard]] std::string callOf(Expr e);
    [[nodiscard]] std::string loadOf(Expr e);
    [[nodiscard]] std::string indexOf(Expr index, int64_t extent, bool input);
    [[nodiscard]] std::string variable(const ExprNode *node) const;
    [[nodiscard]] std::string tuple(const std::vector<std::string> &values) const;

    const BoundedState &m_bounded;
    const ComputeDag &m_dag;
    Identifiers &m_all;
    bool m_clampInputs;
    std::vector<std::string> m_names;
    std::vector<std::vector<std::string>> m_axes;
    std::vector<std::map<int, std::string>> m_terms;
    std::vector<std::pair<const ExprNode *, std::string>> m_variables; // of the op being written
    std::optional<VarRange> m_scanned;                                 // what is written of a scan's axis
    std::vector<std::string> m_lines;
    size_t m_op = 0; // being written
    std::optional<Refusal> m_refused;
};

/// With what no name of such a file may be.
Identifiers halideNames();
std::string_view halideType(DType type);    // "Float(32)"
std::string_view halideElement(DType type); // "float"

} // namespace loopscope
