#pragma once
// If and Loop of ONNX: their graphs become functions of the network that are handed what they read of the graphs
// around them (networks/graph/statement.h).

#include "networks/graph/module.h"
#include "networks/onnx/import.h"
#include "networks/onnx/proto.h"
#include "networks/onnx/typed_builder.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

bool isControlFlow(const onnx::NodeProto &node);
/// What is wrong with its attributes, whatever it reads.
std::vector<std::string> wrongWithControlFlow(const onnx::NodeProto &node);
/// Names that a node reads, those that its graphs read of the graph in which it stands among them. Each once.
std::vector<std::string> namesRead(const onnx::NodeProto &node);

/// A value that is handed to a graph inside: the parameter or the constant that stands for it there.
struct HandedValue {
    std::string name;
    TensorType type;
    std::optional<HostTensor> constant;
};

class ControlFlowImport {
  public:
    using Result = Outcome<std::vector<ValueId>>;
    /// Imports a graph as a function of that name whose first parameters stand for the graph's inputs, and hands back
    /// null when there are problems, which `result` then has.
    using ImportGraph = std::function<FunctionPtr(const onnx::GraphProto &graph, const std::string &name,
                                                  const std::vector<HandedValue> &inputs,
                                                  const std::vector<HandedValue> &captured, ImportResult &result)>;
    using FindValue = std::function<std::optional<ValueId>(const std::string &name)>;

    /// All of them outlive it. Functions are added to the module.
    ControlFlowImport(TypedBuilder &builder, Module &module, ImportResult &result, FindValue find, ImportGraph import)
        : m_builder(builder), m_module(module), m_result(result), m_find(std::move(find)), m_import(std::move(import)) {
    }

    /// `inputs` are those of the node (invalid: left out), `outputs` the names of what it gives; nothing is wrong with
    /// its attributes. Nothing when problems inside its graphs have been told.
    std::optional<Result> translate(const onnx::NodeProto &node, const std::string &name, std::vector<ValueId> inputs,
                                    const std::vector<std::string> &outputs);

  private:
    std::optional<Result> translateIf(const onnx::NodeProto &node, const std::string &name,
                                      const std::vector<ValueId> &inputs, const std::vector<std::string> &outputs);
    std::optional<Result> translateLoop(const onnx::NodeProto &node, const std::string &name,
                                        std::vector<ValueId> inputs, const std::vector<std::string> &outputs);
    /// Where it is known before the network runs: then only the branch that is taken is looked at.
    [[nodiscard]] std::optional<bool> knownCondition(ValueId condition) const;
    /// The nodes of a function that reads `inputs`, here; what it gives gets the names `outputs`.
    Result inlined(const GraphFunction &function, const std::vector<ValueId> &inputs,
                   const std::vector<std::string> &outputs);
    [[nodiscard]] std::string freeFunctionName(const std::string &wanted) const;
    /// What a graph reads of those around it; values that are constants are no inputs of the function.
    struct Captured {
        std::vector<HandedValue> values;
        std::vector<ValueId> inputs;
    };
    Outcome<Captured> capture(const std::vector<std::string> &names);
    FunctionPtr importGraph(const onnx::GraphProto &graph, const std::string &name,
                            const std::vector<HandedValue> &inputs, const std::vector<HandedValue> &captured);

    TypedBuilder &m_builder;
    Module &m_module;
    ImportResult &m_result;
    FindValue m_find;
    ImportGraph m_import;
};

} // namespace loopscope
