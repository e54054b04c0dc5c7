#pragma once
// A function under construction whose values have types from the start: each node's types are inferred as it is added,
// since how a node is translated depends on the types of what it reads.

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "networks/graph/function_builder.h"
#include "networks/graph/module.h"
#include "networks/op/operator.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace loopscope {

class TypedBuilder {
  public:
    TypedBuilder(std::string name, int64_t maxTensorBytes) : m_builder(std::move(name)), m_maxBytes(maxTensorBytes) {}

    /// Names that only the file's own values and nodes may have.
    void reserve(const std::string &valueName) { m_valueNames.insert(valueName); }
    /// One that nothing has: the wanted one, or with a number behind it.
    std::string freeValueName(const std::string &wanted) { return freeName(m_valueNames, wanted); }
    std::string freeNodeName(const std::string &wanted) { return freeName(m_nodeNames, wanted); }

    ValueId addParameter(const std::string &name, TensorType type);
    ValueId addConstant(const std::string &name, HostTensor value);
    /// Refused when its operator refuses its inputs; then there is no such node.
    Outcome<std::vector<ValueId>> addNode(Node node, const std::vector<std::string> &outputNames);
    /// A statement (networks/graph/statement.h), in an effect block. The functions that it names are in the module,
    /// with types. `declared` is the first output's, for patterns.
    Outcome<std::vector<ValueId>> addStatement(Node node, const std::vector<std::string> &outputNames,
                                               const Module &module, std::optional<TensorType> declared = std::nullopt);
    /// Of a graph inside of another one sizes may depend on what is computed: it has control flow around it anyway.
    void allowCuts() { m_cuts = true; }
    [[nodiscard]] bool cutsAllowed() const { return m_cuts; }
    void addResult(ValueId value) { m_builder.addResult(value); }

    /// Known values count as constants.
    [[nodiscard]] InputFact fact(ValueId value) const;
    [[nodiscard]] const TensorType &type(ValueId value) const { return *m_builder.value(value).type; }
    /// What is wrong with the size of a type, or nothing.
    [[nodiscard]] std::optional<Refusal> sizeRefusal(const TensorType &type) const;

    FunctionPtr finish() && { return std::move(m_builder).finish(); }

  private:
    static std::string freeName(std::unordered_set<std::string> &taken, const std::string &wanted);
    void setElements(ValueId value, std::optional<Dims> elements);
    /// Values of small outputs whose inputs are all known: sizes that a network computes from the dims of its inputs.
    void evaluateSmall(const Node &node, const Operator &of, const std::vector<ValueId> &outputs);

    FunctionBuilder m_builder;
    int64_t m_maxBytes;
    bool m_cuts = false;
    bool m_inEffect = false;                     // the last block is one of effects
    std::vector<std::optional<Dims>> m_elements; // by value
    std::map<ValueId, HostTensor> m_known;       // small ones of no constant
    ThreadPool m_thread{1};
    std::unordered_set<std::string> m_valueNames;
    std::unordered_set<std::string> m_nodeNames;
};

} // namespace loopscope
