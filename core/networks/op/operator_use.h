#pragma once
// A node as its operator sees it: attributes with their defaults, and what is known of its inputs.

#include "networks/graph/function.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

struct Operator;

struct InputSpec {
    std::string name;
    bool optional = false;
    bool variadic = false; // the last one: any number, at least one
};

enum class AttributeKind : uint8_t { Integer, Number, Text, Integers, Numbers, Texts, Tensor };

struct AttributeSpec {
    std::string name;
    AttributeKind kind = AttributeKind::Integer;
    std::optional<Attribute> fallback; // nothing: must be given
    std::string doc = {};
};

/// What is known of one input.
struct InputFact {
    bool present = false;
    TensorType type;
    const HostTensor *constant = nullptr;        // its value, where it is one
    std::optional<Dims> elements = std::nullopt; // of small integer tensors, constants among them
};

class OperatorUse {
  public:
    /// All of them outlive it.
    OperatorUse(const Node &node, const Operator &of, std::vector<InputFact> inputs)
        : m_node(node), m_operator(of), m_inputs(std::move(inputs)) {}

    [[nodiscard]] const Node &node() const { return m_node; }
    [[nodiscard]] const Operator &of() const { return m_operator; }

    [[nodiscard]] size_t inputCount() const { return m_inputs.size(); }
    /// Optional inputs at the end may be missing from the node's list.
    [[nodiscard]] bool has(size_t input) const { return input < m_inputs.size() && m_inputs[input].present; }
    [[nodiscard]] const TensorType &type(size_t input) const { return m_inputs[input].type; }
    [[nodiscard]] const Dims &dims(size_t input) const { return m_inputs[input].type.dims; }
    [[nodiscard]] size_t rank(size_t input) const { return m_inputs[input].type.dims.size(); }
    [[nodiscard]] DType dtype(size_t input) const { return m_inputs[input].type.dtype; }
    [[nodiscard]] const HostTensor *constant(size_t input) const {
        return has(input) ? m_inputs[input].constant : nullptr;
    }
    [[nodiscard]] std::optional<Dims> elements(size_t input) const {
        return has(input) ? m_inputs[input].elements : std::nullopt;
    }

    // Attributes, or their defaults; those of the catalogue entry only. Integers stand for numbers, too.
    [[nodiscard]] bool hasAttribute(std::string_view name) const { return m_node.attributes.contains(name); }
    [[nodiscard]] int64_t integer(std::string_view name) const;
    [[nodiscard]] double number(std::string_view name) const;
    [[nodiscard]] const std::string &text(std::string_view name) const;
    [[nodiscard]] std::vector<int64_t> integers(std::string_view name) const;
    [[nodiscard]] std::vector<double> numbers(std::string_view name) const;
    [[nodiscard]] const HostTensor &tensor(std::string_view name) const;

  private:
    [[nodiscard]] const Attribute &attribute(std::string_view name) const;
    const Node &m_node;
    const Operator &m_operator;
    std::vector<InputFact> m_inputs;
};

/// With a negative axis counted from the end; nothing when it is outside.
std::optional<size_t> axisIn(int64_t axis, size_t rank);

} // namespace loopscope
