#include "networks/partition/fusion_graph.h"

#include "networks/op/integer_division.h"
#include "networks/op_compute/kernel_dag.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope {

namespace {

using Role = FusionVertex::Role;

PatternKind kindOf(const Node &node) {
    const Operator *found = findOperator(node.op);
    return found == nullptr ? PatternKind::Opaque : found->pattern;
}

/// Something to be visited, and what it reads.
struct Visit {
    Role role = Role::Operator;
    NodeId node;
    ValueId value; // of a field
    std::vector<Visit> children;
    size_t next = 0;
};

class GraphMaker {
  public:
    explicit GraphMaker(const GraphFunction &function) : m_function(function) {
        m_ofNode.resize(function.nodeCount());
        m_tuples.resize(function.nodeCount());
    }

    FusionGraph make() && {
        for (const ValueId result : m_function.results())
            if (const auto visit = producerOf(result)) {
                walk(*visit);
                m_graph.vertices[*vertexOf(*visit)].external = true;
            }
        const std::vector<std::vector<NodeId>> readers = m_function.readers();
        for (size_t n = 0; n < m_function.nodeCount(); ++n) {
            const auto &outputs = m_function.node(NodeId(n)).outputs;
            const bool isRead = std::any_of(outputs.begin(), outputs.end(),
                                            [&](ValueId output) { return !readers[output.index()].empty(); });
            if (isRead || m_ofNode[n]) continue;
            walk({Role::Operator, NodeId(n), {}, {}, 0});
            m_graph.vertices[*m_ofNode[n]].external = true;
        }
        for (size_t n = 0; n < m_function.nodeCount(); ++n) {
            const Node &node = m_function.node(NodeId(n));
            if (!readsByIndex(node)) continue;
            if (const auto indices = producerOf(node.inputs[1])) m_graph.vertices[*vertexOf(*indices)].external = true;
        }
        connect();
        for (const auto &vertex : m_ofNode) m_graph.ofNode.push_back(*vertex);
        return std::move(m_graph);
    }

  private:
    [[nodiscard]] std::optional<Visit> producerOf(ValueId value) const {
        if (value.value < 0) return std::nullopt;
        const NodeId producer = m_function.value(value).producer;
        if (producer.value < 0) return std::nullopt;
        const bool several = m_function.node(producer).outputs.size() > 1;
        return Visit{several ? Role::Field : Role::Operator, producer, value, {}, 0};
    }

    [[nodiscard]] std::optional<size_t> vertexOf(const Visit &visit) const {
        if (visit.role == Role::Operator) return m_ofNode[visit.node.index()];
        if (visit.role == Role::Tuple) return m_tuples[visit.node.index()];
        const auto found = m_fields.find(visit.value.value);
        return found == m_fields.end() ? std::nullopt : std::optional(found->second);
    }

    [[nodiscard]] std::vector<Visit> childrenOf(const Visit &visit) const {
        const Node &node = m_function.node(visit.node);
        if (visit.role == Role::Field) return {Visit{Role::Operator, visit.node, {}, {}, 0}};
        if (visit.role == Role::Operator && node.op == "concat") return {Visit{Role::Tuple, visit.node, {}, {}, 0}};
        std::vector<Visit> children;
        for (const ValueId input : node.inputs)
            if (auto child = producerOf(input)) children.push_back(*std::move(child));
        return children;
    }

    /// Depth-first without recursion: networks may be chains of any length.
    void walk(const Visit &root) {
        std::vector<Visit> stack;
        const auto enter = [&](Visit visit) {
            if (vertexOf(visit)) return;
            visit.children = childrenOf(visit);
            stack.push_back(std::move(visit));
        };
        enter(root);
        while (!stack.empty()) {
            Visit &top = stack.back();
            if (top.next < top.children.size()) {
                enter(top.children[top.next++]);
                continue;
            }
            const Visit done = std::move(top);
            stack.pop_back();
            if (!vertexOf(done)) add(done);
        }
    }

    void add(const Visit &visit) {
        const size_t number = m_graph.vertices.size();
        FusionVertex vertex;
        vertex.role = visit.role;
        vertex.node = visit.node;
        const Node &node = m_function.node(visit.node);
        switch (visit.role) {
        case Role::Operator:
            vertex.kind = kindOf(node);
            m_ofNode[visit.node.index()] = number;
            if (vertex.kind <= PatternKind::Reduction)
                for (const ValueId input : node.inputs) vertex.size += isLiteral(m_function, input) ? 1 : 0;
            break;
        case Role::Tuple:
            vertex.kind = PatternKind::Tuple;
            m_tuples[visit.node.index()] = number;
            break;
        case Role::Field:
            vertex.kind = PatternKind::Injective;
            m_fields[visit.value.value] = number;
            break;
        }
        m_graph.vertices.push_back(std::move(vertex));
    }

    [[nodiscard]] PatternKind edgeKind(const Node &node, size_t input) const {
        const PatternKind kind = kindOf(node);
        // What only says a shape is nothing a kernel could go on with.
        if (!readsElements(node, input)) return PatternKind::Opaque;
        // Nor is what has to be looked at before something is divided by it.
        if (input == 1 && checkedDivisor(m_function, node)) return PatternKind::Opaque;
        const auto &from = m_function.value(node.inputs[input]).type;
        const auto &to = m_function.value(node.outputs[0]).type;
        const bool keepsShape = node.outputs.size() == 1 && from && to && from->dims == to->dims;
        return kind == PatternKind::Broadcast && keepsShape ? PatternKind::Elementwise : kind;
    }

    void connect() {
        for (size_t v = 0; v < m_graph.vertices.size(); ++v) {
            const Role role = m_graph.vertices[v].role;
            const NodeId id = m_graph.vertices[v].node;
            const Node &node = m_function.node(id);
            const auto edge = [&](const std::optional<size_t> &from, PatternKind kind) {
                if (from) m_graph.vertices[*from].readers.push_back({v, kind});
            };
            if (role == Role::Field) {
                edge(m_ofNode[id.index()], PatternKind::Injective);
            } else if (role == Role::Operator && node.op == "concat") {
                edge(m_tuples[id.index()], kindOf(node));
            } else {
                for (size_t i = 0; i < node.inputs.size(); ++i)
                    if (const auto producer = producerOf(node.inputs[i]))
                        edge(vertexOf(*producer), role == Role::Tuple ? PatternKind::Injective : edgeKind(node, i));
            }
        }
    }

    const GraphFunction &m_function;
    FusionGraph m_graph;
    std::vector<std::optional<size_t>> m_ofNode;
    std::vector<std::optional<size_t>> m_tuples; // by node
    std::unordered_map<int, size_t> m_fields;    // by value
};

/// The nearest vertex that dominates both, or none; `kind` grows by what is on the ways there.
std::optional<size_t> commonDominator(const std::vector<FusionVertex> &vertices, std::optional<size_t> a,
                                      std::optional<size_t> b, PatternKind &kind) {
    const auto up = [&](std::optional<size_t> &at) {
        kind = std::max(kind, vertices[*at].way);
        at = vertices[*at].dominator;
    };
    while (a != b) {
        if (!a || !b) return std::nullopt;
        const size_t depthA = vertices[*a].depth;
        const size_t depthB = vertices[*b].depth;
        if (depthA >= depthB) up(a);
        if (depthB >= depthA) up(b);
    }
    return a;
}

void findDominators(std::vector<FusionVertex> &vertices) {
    for (size_t v = vertices.size(); v-- > 0;) {
        FusionVertex &vertex = vertices[v];
        if (vertex.external || vertex.readers.empty()) {
            vertex.way = PatternKind::Opaque;
            continue;
        }
        PatternKind kind = vertex.readers[0].kind;
        std::optional<size_t> common = vertex.readers[0].reader;
        for (size_t r = 1; r < vertex.readers.size(); ++r) {
            common = commonDominator(vertices, common, vertex.readers[r].reader, kind);
            kind = std::max(kind, vertex.readers[r].kind);
        }
        vertex.dominator = common;
        vertex.depth = common ? vertices[*common].depth + 1 : 1;
        vertex.way = kind;
    }
}

} // namespace

FusionGraph fusionGraphOf(const GraphFunction &function) {
    FusionGraph graph = GraphMaker(function).make();
    findDominators(graph.vertices);
    return graph;
}

} // namespace loopscope
