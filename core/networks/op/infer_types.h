#pragma once
// Types of all values of a function, and what is known of small integer tensors that shapes are computed with. One walk
// over the nodes in their order. Nothing here changes what a function computes.

#include "base/outcome.h"
#include "networks/graph/function.h"
#include "networks/graph/function_builder.h"
#include "networks/graph/module.h"
#include "networks/op/operator.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct OpProblem {
    NodeId node; // invalid: of the function's signature
    std::string sentence;
};

/// Where nodes do not say what the catalogue wants: unknown operators and attributes, attributes of another type or
/// missing, too few or too many inputs or outputs. In the order of the nodes.
std::vector<OpProblem> checkAgainstCatalogue(const GraphFunction &function);

/// What is known of the values of a function; by value.
struct FunctionFacts {
    /// Nothing where a node before it has a problem.
    std::vector<std::optional<TensorType>> types;
    /// Elements of integer tensors of rank 0 or 1 with at most kMaxKnownElements (1024) of them, where they are known.
    std::vector<std::optional<Dims>> elements;
    /// All there are: those of checkAgainstCatalogue, and what inference refused. A node whose inputs have no type
    /// because of another problem has none of its own.
    std::vector<OpProblem> problems;
};

/// A type that a value has already is a declaration: inference has to agree with it where both say something (another
/// form of a symbolic dim is no contradiction). Statements (networks/graph/statement.h) are problems here: what they
/// give is told by other functions.
FunctionFacts inferFacts(const GraphFunction &function);
/// Of all functions, in their order, with statements and the rules that these have to keep.
std::vector<FunctionFacts> inferFacts(const Module &module);

/// A copy with the same ids whose values have types, or the first problem.
Outcome<FunctionPtr> inferTypes(const GraphFunction &function);
/// The same function where it has all its types already.
Outcome<FunctionPtr> inferTypes(const FunctionPtr &function);
Outcome<Module> inferTypes(const Module &module);

/// A node of a function whose inputs have types, as its operator sees it. It must be in the catalogue and outlive the
/// result. `facts` may be null: then only constants have known elements.
OperatorUse useOf(const GraphFunction &function, const Node &node, const FunctionFacts *facts = nullptr);
/// Types for the outputs of a node that was just added to a builder.
Outcome<bool> inferInto(FunctionBuilder &builder, NodeId node);

} // namespace loopscope
