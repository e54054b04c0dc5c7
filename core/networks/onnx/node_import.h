#pragma once
// One node of an ONNX file while it is translated: what handlers ask it, and how they make the nodes that stand for it.
// The table has looked at numbers of inputs and at names, kinds and words of attributes before.

#include "networks/onnx/proto.h"
#include "networks/onnx/tensor_data.h"
#include "networks/onnx/typed_builder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// A value for each output of the node, or fewer: what those behind would be is then refused if somebody reads them.
using Translated = Outcome<std::vector<ValueId>>;

class NodeImport {
  public:
    /// What stands for a node of the file: its name and those of its outputs, which of them are read, and its inputs.
    struct Place {
        std::string name;
        std::vector<std::string> outputs;
        std::vector<bool> outputUsed;
        std::vector<ValueId> inputs; // invalid: left out
    };
    /// All of them outlive it.
    NodeImport(const onnx::NodeProto &proto, int64_t opset, Place place, TypedBuilder &builder, ExternalFiles &files,
               int64_t maxBytes)
        : m_proto(proto), m_opset(opset), m_place(std::move(place)), m_builder(builder), m_files(files),
          m_maxBytes(maxBytes) {}

    [[nodiscard]] int64_t opset() const { return m_opset; }
    [[nodiscard]] size_t outputCount() const { return m_place.outputs.size(); }
    [[nodiscard]] bool outputUsed(size_t i) const { return i < m_place.outputUsed.size() && m_place.outputUsed[i]; }

    [[nodiscard]] bool has(size_t i) const { return i < m_place.inputs.size() && m_place.inputs[i].value >= 0; }
    /// Invalid where it was left out.
    [[nodiscard]] ValueId in(size_t i) const { return has(i) ? m_place.inputs[i] : ValueId(); }
    [[nodiscard]] const std::vector<ValueId> &inputs() const { return m_place.inputs; }
    // Copies, since nodes that are added move what the builder has.
    [[nodiscard]] TensorType type(ValueId value) const { return m_builder.type(value); }
    [[nodiscard]] Dims dims(size_t i) const { return m_builder.type(in(i)).dims; }
    [[nodiscard]] int64_t rank(size_t i) const { return static_cast<int64_t>(m_builder.type(in(i)).dims.size()); }
    [[nodiscard]] DType dtype(size_t i) const { return m_builder.type(in(i)).dtype; }
    /// Numbers that the network's operator takes as an attribute: of a constant, or of a shape that is known. `what` is
    /// how a refusal calls them.
    [[nodiscard]] Outcome<std::vector<int64_t>> integersOf(size_t i, std::string_view what) const;
    [[nodiscard]] Outcome<std::vector<double>> numbersOf(size_t i, std::string_view what) const;

    [[nodiscard]] const onnx::AttributeProto *attribute(std::string_view name) const;
    [[nodiscard]] bool given(std::string_view name) const { return attribute(name) != nullptr; }
    [[nodiscard]] int64_t integer(std::string_view name, int64_t fallback) const;
    [[nodiscard]] double number(std::string_view name, double fallback) const;
    [[nodiscard]] std::string text(std::string_view name, std::string_view fallback) const;
    /// Empty where it is not given.
    [[nodiscard]] std::vector<int64_t> integers(std::string_view name) const;
    [[nodiscard]] std::vector<double> numbers(std::string_view name) const;
    [[nodiscard]] Outcome<HostTensor> tensor(std::string_view name) const;

    /// What is wrong with the size of a type, or nothing.
    [[nodiscard]] std::optional<Refusal> sizeRefusal(const TensorType &type) const {
        return m_builder.sizeRefusal(type);
    }

    /// A node on the way, with one output. `inputs` at the end may be invalid.
    Outcome<ValueId> value(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {});
    /// The node that has the name and the outputs (the first ones) of the node of the file. A slice whose ends are not
    /// known before the network runs becomes a statement where that may be.
    Translated finish(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {}, size_t outputs = 1);
    /// A statement (networks/graph/statement.h) with one output, which names no function.
    Translated finishStatement(std::string_view op, std::vector<ValueId> inputs);
    /// A node that has the name of one output behind the first.
    Outcome<ValueId> finishOutput(size_t output, std::string_view op, std::vector<ValueId> inputs,
                                  Attributes attributes = {});
    /// A constant on the way.
    ValueId constant(std::string_view what, HostTensor tensor);
    ValueId integerConstant(std::string_view what, const std::vector<int64_t> &values);
    /// A constant that has the name of the output.
    Translated finishConstant(HostTensor tensor);

  private:
    Outcome<std::vector<ValueId>> add(std::string_view op, std::string name, std::vector<ValueId> inputs,
                                      Attributes attributes, const std::vector<std::string> &outputs);
    const onnx::NodeProto &m_proto;
    int64_t m_opset;
    Place m_place;
    TypedBuilder &m_builder;
    ExternalFiles &m_files;
    int64_t m_maxBytes;
};

} // namespace loopscope
