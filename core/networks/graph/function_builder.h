#pragma once
// How graph functions are made: by importers, by hand, and by passes that copy one node after another and change some.

#include "networks/graph/function.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope {

class FunctionBuilder {
  public:
    explicit FunctionBuilder(std::string name);

    ValueId addParameter(const std::string &name, TensorType type);
    /// A constant has its tensor's type.
    ValueId addConstant(const std::string &name, HostTensor value);
    /// A node in the last block (a dataflow block is begun where there is none). Its outputs are new values with the
    /// given names, one each; a name that is taken gets a number behind it ("x_1"). Types are left open. A node without
    /// a name is called as its first output.
    NodeId addNode(Node node, const std::vector<std::string> &outputNames);
    /// The same for one output, named as the node is; returns its value.
    ValueId add(std::string op, std::string name, std::vector<ValueId> inputs, Attributes attributes = {},
                std::vector<std::string> sources = {});
    void beginBlock(BlockKind kind);
    void setType(ValueId value, std::optional<TensorType> type);
    void addResult(ValueId value) { m_function.m_results.push_back(value); }

    /// Whether a value of this name exists.
    [[nodiscard]] bool nameTaken(const std::string &name) const { return m_names.contains(name); }
    [[nodiscard]] const Value &value(ValueId id) const { return m_function.value(id); }
    [[nodiscard]] const GraphFunction &soFar() const { return m_function; }

    /// The builder is used up.
    FunctionPtr finish() &&;

    /// The same function with other types, by value. All ids stay what they are.
    static FunctionPtr retyped(const GraphFunction &function, std::vector<std::optional<TensorType>> types);

  private:
    std::string freeName(const std::string &wanted);
    ValueId addValue(Value value);

    GraphFunction m_function;
    std::unordered_map<std::string, int> m_names; // taken, with the last number behind it
};

/// Copies a function into a builder, value by value, while a pass replaces what it wants: `mapped` tells what stands
/// for an old value in the new function, `map` says it.
class FunctionCopy {
  public:
    FunctionCopy(const GraphFunction &from, FunctionBuilder &to);

    [[nodiscard]] const GraphFunction &from() const { return m_from; }
    [[nodiscard]] FunctionBuilder &to() { return m_to; }
    /// In the new function. Constants and parameters are there when they are first asked for; a node's outputs once it
    /// is copied or its outputs are mapped. Invalid stays invalid.
    ValueId mapped(ValueId old);
    void map(ValueId old, ValueId now) { m_mapped[old.index()] = now; }
    /// As it is, with mapped inputs, types kept.
    void copyNode(NodeId node);
    /// Parameters in order, so that signatures stay; called by the constructor.
    void copyParameters();
    void copyResults();

  private:
    const GraphFunction &m_from;
    FunctionBuilder &m_to;
    std::vector<ValueId> m_mapped;
};

} // namespace loopscope
