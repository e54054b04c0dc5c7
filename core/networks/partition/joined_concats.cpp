#include "networks/partition/joined_concats.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

class ConcatJoin {
  public:
    ConcatJoin(const GraphFunction &function, Partition &partition)
        : m_function(function), m_partition(partition), m_readers(function.readers()),
          m_isPart(function.valueCount(), false) {}

    void joinAll() {
        for (Kernel &kernel : m_partition.kernels) {
            const auto concat = std::find_if(kernel.nodes.begin(), kernel.nodes.end(),
                                             [&](NodeId id) { return m_function.node(id).op == "concat"; });
            if (concat == kernel.nodes.end()) continue;
            if (kernel.nodes.size() > 1) {
                kernel.whyCopied =
                    fmt::format("{} is computed together with other operators", nodeText(m_function.node(*concat)));
                continue;
            }
            const Node &node = m_function.node(*concat);
            if (auto obstacle = obstacleOf(node)) {
                kernel.whyCopied = std::move(*obstacle);
                continue;
            }
            kernel.joins = true;
            for (const ValueId input : node.inputs) m_isPart[input.index()] = true;
        }
        explainCuts();
    }

  private:
    std::optional<std::string> obstacleOf(const Node &node) const {
        const ValueId output = node.outputs[0];
        const auto dims = constantDims(m_function.type(output).dims);
        if (!dims) return nodeText(node) + " has dims that are not known yet";
        const auto attribute = node.attributes.find("axis");
        const int64_t *given = attribute == node.attributes.end() ? nullptr : std::get_if<int64_t>(&attribute->second);
        if (given == nullptr) return nodeText(node) + " does not say its axis";
        const auto axis = static_cast<size_t>(*given < 0 ? *given + static_cast<int64_t>(dims->size()) : *given);
        if (axis >= dims->size() || std::any_of(dims->begin(), dims->begin() + static_cast<std::ptrdiff_t>(axis),
                                                [](int64_t extent) { return extent != 1; }))
            return fmt::format("the inputs of {} do not lie one after the other in it: a dim before its axis is not 1",
                               nodeText(node));
        if (isSeenAsResult(output)) return nodeText(node) + " is a result, whose memory is the caller's";
        if (node.inputs.size() < 2) return nodeText(node) + " has a single input";
        int64_t offset = 0;
        for (size_t i = 0; i < node.inputs.size(); ++i) {
            if (auto obstacle = obstacleOf(node, i, offset)) return obstacle;
            offset += bytesOf(node.inputs[i]);
        }
        return std::nullopt;
    }

    std::optional<std::string> obstacleOf(const Node &node, size_t number, int64_t offset) const {
        const ValueId input = node.inputs[number];
        const Value &value = m_function.value(input);
        const std::string who = fmt::format("'{}', an input of {},", value.name, nodeText(node));
        if (value.producer.value < 0 || m_function.isConstant(input))
            return who + " is not made by the network: it lies elsewhere";
        if (isSeenAsResult(input)) return who + " is a result, whose memory is the caller's";
        if (std::count(node.inputs.begin(), node.inputs.end(), input) > 1) return who + " is joined twice";
        if (m_isPart[input.index()]) return who + " is already a part of another joint buffer";
        if (kernelOf(value.producer).alias) return who + " is another value with other dims";
        if (const Node *reader = aliasReader(input))
            return fmt::format("{} shares its memory with {}", who, nodeText(*reader));
        if (bytesOf(input) == 0) return who + " is empty";
        if (offset % kPartAlignment != 0)
            return fmt::format("{} would begin at byte {}; kernels want multiples of {}", who, offset, kPartAlignment);
        return std::nullopt;
    }

    [[nodiscard]] const Kernel &kernelOf(NodeId node) const {
        return m_partition.kernels[m_partition.kernelOf[node.index()]];
    }
    [[nodiscard]] const Node *aliasReader(ValueId value) const {
        for (const NodeId reader : m_readers[value.index()])
            if (kernelOf(reader).alias) return &m_function.node(reader);
        return nullptr;
    }
    /// It, or what shares its memory with other dims.
    [[nodiscard]] bool isSeenAsResult(ValueId value) const {
        const auto &results = m_function.results();
        std::vector<ValueId> stack = {value};
        while (!stack.empty()) {
            const ValueId at = stack.back();
            stack.pop_back();
            if (std::find(results.begin(), results.end(), at) != results.end()) return true;
            for (const NodeId reader : m_readers[at.index()])
                if (kernelOf(reader).alias) stack.push_back(m_function.node(reader).outputs[0]);
        }
        return false;
    }
    [[nodiscard]] int64_t bytesOf(ValueId value) const {
        const TensorType &type = m_function.type(value);
        const auto dims = constantDims(type.dims);
        return dims ? elementCount(*dims) * dtypeBytes(type.dtype) : 0;
    }

    void explainCuts() {
        for (CutEdge &cut : m_partition.cuts) {
            const Kernel &kernel = kernelOf(cut.consumer);
            const Node &node = m_function.node(cut.consumer);
            if (node.op != "concat") continue;
            if (kernel.joins)
                cut.reason = "it is written into its part of " + nodeText(node) + ", which copies nothing";
            else
                cut.reason += "; it is copied: " + kernel.whyCopied;
        }
    }

    const GraphFunction &m_function;
    Partition &m_partition;
    std::vector<std::vector<NodeId>> m_readers;
    std::vector<bool> m_isPart; // by value
};

} // namespace

void joinConcats(const GraphFunction &function, Partition &partition) { ConcatJoin(function, partition).joinAll(); }

} // namespace loopscope
