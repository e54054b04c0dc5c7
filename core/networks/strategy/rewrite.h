#pragma once
// A function whose nodes are written as the implementations chosen for them: what fuses, tunes, builds and verifies
// networks afterwards sees nodes like any others. A node's outputs keep their names.

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "networks/graph/function.h"
#include "networks/graph/function_builder.h"
#include "networks/strategy/implementation.h"

#include <string>
#include <vector>

namespace loopscope {

enum class WeightFolding : uint8_t {
    Compute,    // what implementations make of constant weights is computed, in double precision, and rounded
    ShapesOnly, // zeros of that shape: for whoever looks at DAGs and keys
};

/// What a NodeRewrite works with: one node, about to be written into another function.
class NodeRewriting {
  public:
    NodeRewriting(FunctionCopy &copy, NodeId node, WeightFolding folding, ThreadPool &pool);

    [[nodiscard]] const Node &node() const { return m_node; }
    /// In the new function; invalid where it is left out.
    [[nodiscard]] ValueId input(size_t at) const;
    /// Attribute of the node; an empty list where it has none.
    [[nodiscard]] std::vector<int64_t> integers(std::string_view name) const;
    /// A node on the way, over inputs of the node by their numbers. Of constants alone it is folded.
    ValueId add(const std::string &op, const std::string &suffix, const std::vector<size_t> &inputs,
                Attributes attributes);
    /// The node that takes its place, with its name and its one output.
    void finish(const std::string &op, std::vector<ValueId> inputs, Attributes attributes);

  private:
    ValueId folded(const std::string &op, const std::string &name, const std::vector<const HostTensor *> &inputs,
                   Attributes attributes);
    void typed(NodeId node);
    FunctionCopy &m_copy;
    const Node &m_node;
    WeightFolding m_folding;
    ThreadPool &m_pool;
};

struct RewrittenNode {
    NodeId node;
    NodeRewrite rewrite = nullptr;
};

/// The types of the function are known, and are known in the result. Nodes that are not named stay. Refuses what the
/// operators refuse.
Outcome<FunctionPtr> rewriteNodes(const GraphFunction &function, const std::vector<RewrittenNode> &nodes,
                                  WeightFolding folding, ThreadPool &pool);

// The rewrites of the usual strategies.
void asWinograd2(NodeRewriting &rewriting); // conv: 3 x 3, stride 1, one group
void asWinograd4(NodeRewriting &rewriting);
void asTransposedProduct(NodeRewriting &rewriting); // dense: weights as [K, N], then a matmul

} // namespace loopscope
