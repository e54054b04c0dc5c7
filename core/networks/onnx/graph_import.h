#pragma once
// The graph of an ONNX model as a function. Values that cannot be had because of a problem take the type the file
// declares for them, if any, so that what reads them is looked at all the same.

#include "networks/graph/module.h"
#include "networks/onnx/control_flow_import.h"
#include "networks/onnx/declared_types.h"
#include "networks/onnx/import.h"
#include "networks/onnx/proto.h"
#include "networks/onnx/tensor_data.h"
#include "networks/onnx/typed_builder.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace loopscope {

class GraphImport {
  public:
    /// Takes the initialisers' bytes out of the model as it goes. Functions of graphs inside are added to the module.
    GraphImport(onnx::ModelProto &model, std::string folder, const ImportOptions &options, ImportResult &result,
                Module &module);
    /// Null when there are problems, which the result then has.
    FunctionPtr run();

  private:
    /// A graph inside of another one.
    GraphImport(const GraphImport &around, onnx::GraphProto &graph, const std::string &function, ImportResult &result);
    FunctionPtr runInside(const std::vector<HandedValue> &inputs, const std::vector<HandedValue> &captured);
    FunctionPtr runNodes();
    void translateControlFlow(const onnx::NodeProto &node, const std::string &name, std::vector<ValueId> inputs);
    void readOpset(const onnx::ModelProto &model);
    void readInitialisers();
    void readInputs();
    void readNodeOutputs();
    /// Nodes so that each stands after what it reads; those in a cycle are left out.
    std::vector<int> order();
    void reportCycle(const std::vector<std::vector<int>> &readsFrom, const std::vector<int> &waiting);
    void translate(int index, bool inputsKnown);
    /// Nothing when one of them is missing or has no type.
    std::optional<std::vector<ValueId>> inputsOf(const onnx::NodeProto &node, const std::string &name);
    std::optional<ValueId> valueOf(const std::string &name);
    void keep(const onnx::NodeProto &node, const std::string &name, const std::vector<ValueId> &outputs, size_t wanted);
    void giveUp(const onnx::NodeProto &node);
    void readResults();
    /// With the dims that the file declares for it, which a run checks, where they are more than is known.
    ValueId asDeclared(ValueId value, const std::string &name);

    std::string nodeName(int index) const;
    bool declareValue(const std::string &name, std::string_view what);
    void problem(std::string_view node, std::string_view op, std::string_view reason);

    onnx::GraphProto &m_graph;
    std::string m_folder;
    const ImportOptions &m_options;
    ImportResult &m_result;
    Module &m_module;
    ExternalFiles m_files;
    DeclaredTypes m_declared;
    TypedBuilder m_builder;
    int64_t m_opset = kNewestOpset;
    std::shared_ptr<int> m_graphsInside = std::make_shared<int>(0); // that were imported, of the whole file
    bool m_listed = false;                                          // which operators are supported
    std::unordered_map<std::string, HostTensor> m_initialisers;     // until they are read
    std::unordered_map<std::string, ValueId> m_values;
    std::unordered_set<std::string> m_names;          // of all values of the file
    std::unordered_map<std::string, int> m_producers; // nodes
    std::unordered_set<std::string> m_read;           // by nodes, or as results
};

} // namespace loopscope
