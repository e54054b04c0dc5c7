#pragma once
// Types of what statements give (networks/graph/statement.h), found out from the functions that they name.

#include "base/outcome.h"
#include "networks/graph/dim_match.h"
#include "networks/graph/module.h"
#include "networks/op/operator.h"

#include <optional>
#include <vector>

namespace loopscope {

class StatementInference {
  public:
    /// The functions of `typed` have their types; of `module` the statements of `function` keep the rules
    /// (networks/graph/verify_statements.h). All of them outlive it.
    StatementInference(const Module &typed, const GraphFunction &function);

    /// Of a statement whose inputs have types where they are present. Nothing where a function that it names has no
    /// types because of another problem.
    std::optional<Outcome<std::vector<InferredOutput>>> infer(const Node &node,
                                                              const std::vector<InputFact> &inputs) const;

  private:
    /// Dims that depend on what is computed get a symbol called after their value and axis, "y.0".
    using OpenDims = std::vector<std::optional<Dim>>;
    [[nodiscard]] TensorType closed(const Node &node, size_t output, DType dtype, const OpenDims &dims) const;
    using Inferred = Outcome<std::vector<InferredOutput>>;
    [[nodiscard]] Inferred inferIf(const Node &node, const std::vector<InputFact> &inputs) const;
    [[nodiscard]] Inferred inferLoop(const Node &node, const std::vector<InputFact> &inputs) const;
    [[nodiscard]] Inferred inferCall(const Node &node, const std::vector<InputFact> &inputs) const;
    [[nodiscard]] Inferred inferCut(const Node &node, const std::vector<InputFact> &inputs) const;
    [[nodiscard]] Inferred inferPacked(const Node &node, const std::vector<InputFact> &inputs) const;
    [[nodiscard]] Inferred inferSuppression(const Node &node, const std::vector<InputFact> &inputs) const;
    [[nodiscard]] Inferred inferMatch(const Node &node, const std::vector<InputFact> &inputs) const;

    const Module &m_typed;
    const GraphFunction &m_function;
    SymbolNames m_bound; // by parameters and patterns
};

} // namespace loopscope
