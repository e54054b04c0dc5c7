#pragma once
// A network as a graph: functions in single-assignment form. A function has parameters, blocks of nodes in an order in
// which each stands after what it reads, and results. Every value has a name, a type and one producer; nodes keep the
// names of the imported nodes they stand for through every pass. What an operator means (attributes, shapes, values)
// stands in the catalogue (networks/op/operator.h), not here.
//
// Functions are immutable once shared (Module); a pass builds another one with a FunctionBuilder.

#include "base/ids.h"
#include "language/expr/dtype.h"
#include "language/tensor/host_tensor.h"
#include "networks/graph/dim.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace loopscope {

/// A value of one function; an invalid one (-1) among a node's inputs is an optional input that was left out.
using ValueId = Id<struct NetworkValueTag>;
/// Position of a node in its function, counted through its blocks.
using NodeId = Id<struct NetworkNodeTag>;

struct TensorType {
    DType dtype = DType::Float32;
    Dims dims;
    bool operator==(const TensorType &) const = default;
};
/// "float32[1, 3, n]".
std::string typeText(const TensorType &type);

using Attribute = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                               std::vector<std::string>, HostTensor>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

struct Node {
    std::string name; // of its function's own; for people and messages
    std::string op;   // name in the catalogue: "conv", "relu"
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    Attributes attributes;
    /// Names of the nodes of the imported file that it stands for; passes join and keep them.
    std::vector<std::string> sources;
};

enum class BlockKind : uint8_t {
    Dataflow, // pure and without control flow: nodes may be reordered as long as each stands after what it reads
    Effect,   // run in order; statements (networks/graph/statement.h) may stand in it, too
};

struct Block {
    BlockKind kind = BlockKind::Dataflow;
    std::vector<Node> nodes;
};

struct Value {
    std::string name;                   // unique in its function
    std::optional<TensorType> type;     // nothing before types are inferred
    NodeId producer;                    // invalid: a parameter or a constant
    std::optional<HostTensor> constant; // then it is one
};

/// Of what a function is made, as it is: whether it is well formed says networks/graph/verify.h.
struct FunctionParts {
    std::string name;
    std::vector<ValueId> parameters;
    std::vector<ValueId> results;
    std::vector<Block> blocks;
    std::vector<Value> values;
};

class GraphFunction {
  public:
    /// For whoever has all parts at once; others use a FunctionBuilder.
    static std::shared_ptr<const GraphFunction> fromParts(FunctionParts parts);

    [[nodiscard]] const std::string &name() const { return m_name; }
    [[nodiscard]] const std::vector<ValueId> &parameters() const { return m_parameters; }
    [[nodiscard]] const std::vector<ValueId> &results() const { return m_results; }
    [[nodiscard]] const std::vector<Block> &blocks() const { return m_blocks; }

    [[nodiscard]] size_t nodeCount() const { return m_nodePlaces.size(); }
    [[nodiscard]] const Node &node(NodeId id) const {
        const auto [block, at] = m_nodePlaces[id.index()];
        return m_blocks[block].nodes[at];
    }
    [[nodiscard]] size_t valueCount() const { return m_values.size(); }
    [[nodiscard]] const Value &value(ValueId id) const { return m_values[id.index()]; }
    [[nodiscard]] bool isConstant(ValueId id) const { return id.value >= 0 && value(id).constant.has_value(); }
    /// Null when it is not one.
    [[nodiscard]] const HostTensor *constant(ValueId id) const {
        return isConstant(id) ? &*value(id).constant : nullptr;
    }
    /// Of a value whose type was inferred.
    [[nodiscard]] const TensorType &type(ValueId id) const;
    [[nodiscard]] std::optional<ValueId> find(std::string_view valueName) const;

    /// Which nodes read each value, in order, each once; by value.
    [[nodiscard]] std::vector<std::vector<NodeId>> readers() const;

  private:
    friend class FunctionBuilder;
    GraphFunction() = default;

    std::string m_name;
    std::vector<ValueId> m_parameters;
    std::vector<ValueId> m_results;
    std::vector<Block> m_blocks;
    std::vector<std::pair<uint32_t, uint32_t>> m_nodePlaces; // block, position in it; by NodeId
    std::vector<Value> m_values;
};

using FunctionPtr = std::shared_ptr<const GraphFunction>;

/// "conv(conv1: %x float32[1, 3, 224, 224], ...)" would be long: the node as messages name it, "conv 'conv1'".
std::string nodeText(const Node &node);

} // namespace loopscope
