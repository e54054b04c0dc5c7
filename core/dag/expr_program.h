#pragma once
// Expressions of one op, flattened for the interpreter: variables become slots of an environment, loads become base +
// sum of stride x slot where the index is affine. Evaluation is a walk over small nodes, twenty times faster than one
// over Expr with a map of variables.

#include "dag/interpreter.h"
#include "expr/interval.h"

#include <unordered_map>
#include <vector>

namespace loopscope {

/// Value of a variable or of a combiner operand; which member is meant follows from the type of the expression.
union Slot {
    int64_t i;
    double f;
};

/// Adds to the element number of a tensor: stride x slot.
struct StrideTerm {
    int slot = 0;
    int64_t stride = 0;
};

/// Element number of an affine load; empty optional when an index is not affine in the axes.
struct AffineOffset {
    int64_t base = 0;
    std::vector<StrideTerm> terms;
};

class ExprProgram {
  public:
    /// `values` finds the data of loaded tensors; they must stay in place while the program is used.
    using TensorValues = std::unordered_map<const TensorSymbol *, const TensorValue *>;
    ExprProgram(std::string opName, const TensorValues &values) : m_opName(std::move(opName)), m_values(values) {}

    /// Slot of a variable, allotted at first use; `range` (axes only) lets divisions in indices be resolved.
    int slotOf(Expr var);
    int addAxis(const Axis &axis);
    [[nodiscard]] size_t slots() const { return m_slotVars.size(); }

    /// Node number for evaluation.
    int compile(Expr e);

    [[nodiscard]] double floatValue(int index, Slot *env) const;
    [[nodiscard]] int64_t intValue(int index, Slot *env) const;
    /// Whichever member the node's type asks for.
    [[nodiscard]] Slot value(int node, Slot *env) const;
    [[nodiscard]] bool isFloatNode(int node) const { return isFloat(m_nodes[static_cast<size_t>(node)].dtype); }

    [[nodiscard]] std::optional<AffineOffset> affineOffset(Expr load);
    [[nodiscard]] const TensorValue &valueOf(Expr load) const;

  private:
    struct Node {
        ExprKind kind;
        DType dtype;
        DType operandType; // of the first operand; of both sides of a comparison
        Intrinsic intrinsic;
        int args[3] = {-1, -1, -1};
        int slot = -1; // Var, Let
        int load = -1;
        Slot constant{};
    };
    struct Load {
        const TensorValue *value = nullptr;
        std::optional<AffineOffset> affine;
        std::vector<int> indices; // nodes, when not affine
    };

    [[nodiscard]] size_t offset(const Load &load, Slot *env) const;
    [[nodiscard]] double callFloat(const Node &node, Slot *env) const;
    [[nodiscard]] int64_t callInt(const Node &node, Slot *env) const;
    [[nodiscard]] int64_t compareNode(const Node &node, Slot *env) const;
    [[nodiscard]] int64_t divideInts(const Node &node, Slot *env) const;
    /// A float where a small error decides between two answers (comparison, floor, conversion to an integer): rounded
    /// to its type, so that the reference decides as a kernel in that type does.
    [[nodiscard]] double decisive(int node, Slot *env) const;

    std::string m_opName;
    const TensorValues &m_values;
    std::vector<const ExprNode *> m_slotVars;
    std::vector<VarRange> m_ranges;
    std::vector<Node> m_nodes;
    std::vector<Load> m_loads;
};

/// Wraps an integer to its type.
int64_t wrapToType(int64_t value, DType type);
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);

} // namespace loopscope
