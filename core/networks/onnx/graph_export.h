#pragma once
// An ONNX graph under construction out of one of our functions.

#include "base/outcome.h"
#include "base/whole_file.h"
#include "networks/graph/function.h"
#include "networks/onnx/export.h"
#include "networks/onnx/proto.h"
#include "networks/op/operator_use.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace loopscope {

class GraphExport {
  public:
    /// Weights go to a file of that name when it is not empty. All outlive it.
    /// `data` is that file once something was written to it, and not finished.
    GraphExport(const GraphFunction &function, onnx::GraphProto &graph, const OnnxExportOptions &options,
                std::string dataPath, std::unique_ptr<WholeFile> &data)
        : m_function(function), m_graph(graph), m_options(options), m_dataPath(std::move(dataPath)), m_data(data) {}
    Outcome<bool> run();

    [[nodiscard]] const GraphFunction &function() const { return m_function; }
    /// The name of a value in the file; a constant is written when it is first asked for. Empty when it is left out.
    std::string name(ValueId value);
    std::string freeName(const std::string &wanted);
    std::string addConstant(const std::string &wanted, const HostTensor &tensor);
    onnx::NodeProto &addNode(const std::string &nodeName, std::string_view op, const std::vector<std::string> &inputs,
                             const std::vector<std::string> &outputs);

  private:
    void declare(onnx::ValueInfoProto &info, ValueId value);
    void writeDense(const std::string &as, const HostTensor &tensor);

    const GraphFunction &m_function;
    onnx::GraphProto &m_graph;
    const OnnxExportOptions &m_options;
    std::string m_dataPath;
    std::unique_ptr<WholeFile> &m_data;
    int64_t m_dataAt = 0;
    std::unordered_set<std::string> m_names;
    std::unordered_set<std::string> m_written; // constants
};

/// One node of ours while it is written.
class NodeExport {
  public:
    NodeExport(GraphExport &graph, const Node &node, OperatorUse use)
        : m_graph(graph), m_node(node), m_use(std::move(use)) {}

    [[nodiscard]] const OperatorUse &use() const { return m_use; }
    [[nodiscard]] const Node &node() const { return m_node; }
    std::string in(size_t i) { return i < m_node.inputs.size() ? m_graph.name(m_node.inputs[i]) : std::string(); }
    std::vector<std::string> allInputs();
    /// The node of the file that has the name and the outputs of ours.
    onnx::NodeProto &finish(std::string_view op, std::vector<std::string> inputs);
    /// The same with all inputs, of an operator that has a layout. ONNX has channels first alone: with channels last,
    /// transposes stand around the node that is returned.
    onnx::NodeProto &finishPlanes(std::string_view op);
    /// A node on the way; returns the name of its result.
    std::string value(std::string_view op, const std::vector<std::string> &inputs,
                      const std::vector<std::pair<std::string, int64_t>> &attributes = {});
    std::string constant(std::string_view what, const HostTensor &tensor);
    std::string integers(std::string_view what, const std::vector<int64_t> &values);

  private:
    std::string transposed(const std::string &name, const std::vector<size_t> &axes);
    GraphExport &m_graph;
    const Node &m_node;
    OperatorUse m_use;
};

void setInteger(onnx::NodeProto &node, const std::string &name, int64_t value);
void setNumber(onnx::NodeProto &node, const std::string &name, double value);
void setText(onnx::NodeProto &node, const std::string &name, const std::string &value);
/// Not where the list is empty.
void setIntegers(onnx::NodeProto &node, const std::string &name, const std::vector<int64_t> &values);

/// What writes a node of an operator; null for one that ONNX has not. node_writers.cpp
using NodeWriter = void (*)(NodeExport &node);
NodeWriter nodeWriter(std::string_view op);

} // namespace loopscope
