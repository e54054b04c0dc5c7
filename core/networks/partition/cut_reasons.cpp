#include "networks/partition/cut_reasons.h"

#include "networks/op/integer_division.h"
#include "networks/op_compute/kernel_dag.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopscope {

namespace {

std::string_view kindInWords(PatternKind kind) {
    switch (kind) {
    case PatternKind::Elementwise:
        return "is elementwise";
    case PatternKind::Broadcast:
        return "broadcasts";
    case PatternKind::Injective:
        return "moves elements";
    case PatternKind::Reduction:
        return "is a reduction";
    case PatternKind::OutputFusable:
        return "is an anchor";
    case PatternKind::Tuple:
        return "takes a list of tensors";
    case PatternKind::Opaque:
        break;
    }
    return "is computed alone";
}

class CutReason {
  public:
    CutReason(const GraphFunction &function, const FusionGraph &graph, FusionGroups &groups)
        : m_function(function), m_graph(graph), m_groups(groups) {}

    std::string of(ValueId value, NodeId consumer) {
        const NodeId producer = m_function.value(value).producer;
        const size_t from = m_graph.ofNode[producer.index()];
        const size_t to = m_graph.ofNode[consumer.index()];
        const Node &reader = m_function.node(consumer);
        const auto &results = m_function.results();
        if (std::find(results.begin(), results.end(), value) != results.end())
            return fmt::format("'{}' is a result of the function", m_function.value(value).name);
        if (readsByIndex(reader) && reader.inputs[1] == value)
            return fmt::format("the indices of {} stand in memory, where they are looked at before it runs", text(to));
        for (const size_t v : {from, to})
            if (m_graph.vertices[v].kind == PatternKind::Opaque)
                return fmt::format("{} is always computed alone", text(v));
        const bool reads = [&] {
            for (size_t i = 0; i < reader.inputs.size(); ++i)
                if (reader.inputs[i] == value && readsElements(reader, i)) return true;
            return false;
        }();
        if (!reads) return fmt::format("{} reads only a shape from it", text(to));
        if (checkedDivisor(m_function, reader) == value)
            return fmt::format("no element may be 0 where {} divides by it, which is looked at before", text(to));
        if (m_groups.wasTooLarge(from)) return fmt::format("a kernel has at most {} nodes", FusionGroups::kMaxVertices);
        return fromKinds(from, to);
    }

  private:
    std::string fromKinds(size_t from, size_t to) {
        const FusionVertex &vertex = m_graph.vertices[from];
        const auto anchor = m_groups.anchorOf(from);
        const auto other = m_groups.anchorOf(to);
        const std::string meeting =
            vertex.readers.size() > 1 && vertex.dominator
                ? fmt::format(", on the way to {}, where all that read it meet", text(*vertex.dominator))
                : "";
        if (vertex.readers.size() > 1 && !vertex.dominator)
            return fmt::format("{} nodes read it, and their results do not meet again", vertex.readers.size());
        if (anchor && other && vertex.readers.size() == 1)
            return fmt::format("two anchors: {} and {}", text(*anchor), text(*other));
        if (vertex.kind == PatternKind::Reduction)
            return fmt::format("a reduction begins no fusion: {} takes in what comes before it only", text(from));
        if (anchor) {
            const auto obstacle = m_groups.obstacle(from, PatternKind::Broadcast);
            if (obstacle && m_groups.anchorOf(*obstacle) && m_groups.anchorOf(*obstacle) != anchor)
                return fmt::format("two anchors: {} and {}{}", text(*anchor), text(*m_groups.anchorOf(*obstacle)),
                                   meeting);
            const size_t named = obstacle.value_or(to);
            const PatternKind kind = m_graph.vertices[named].kind;
            return fmt::format("{} takes only elementwise operators that keep its shape behind it; {} {}{}",
                               text(*anchor), text(named),
                               kind <= PatternKind::Broadcast ? "changes the shape" : kindInWords(kind), meeting);
        }
        const bool moves = vertex.kind > PatternKind::Broadcast;
        const auto obstacle = m_groups.obstacle(from, PatternKind::Injective);
        const size_t named = obstacle.value_or(to);
        const auto behind = m_groups.anchorOf(named);
        const PatternKind kind = behind ? PatternKind::OutputFusable : m_graph.vertices[named].kind;
        return fmt::format("{} {}, and {} {}{}: {}", text(from), kindInWords(vertex.kind), text(behind.value_or(named)),
                           kindInWords(kind), meeting,
                           moves ? "what moves elements goes only with what is injective"
                                 : "nothing is computed within an anchor's sum");
    }

    [[nodiscard]] std::string text(size_t vertex) const {
        const FusionVertex &of = m_graph.vertices[vertex];
        return nodeText(m_function.node(of.node));
    }

    const GraphFunction &m_function;
    const FusionGraph &m_graph;
    FusionGroups &m_groups;
};

} // namespace

std::string cutReason(const GraphFunction &function, const FusionGraph &graph, FusionGroups &groups, ValueId value,
                      NodeId consumer) {
    return CutReason(function, graph, groups).of(value, consumer);
}

} // namespace loopscope
