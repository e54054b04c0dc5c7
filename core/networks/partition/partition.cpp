#include "networks/partition/partition.h"

#include "networks/op_compute/kernel_dag.h"
#include "networks/partition/better_fusion.h"
#include "networks/partition/cut_reasons.h"
#include "networks/partition/fusion_graph.h"
#include "networks/partition/fusion_groups.h"
#include "networks/partition/joined_concats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace loopscope {

namespace {

bool isAlias(const Node &node) {
    return node.op == "reshape" || node.op == "flatten" || node.op == "squeeze" || node.op == "unsqueeze";
}

constexpr size_t kMaxNamed = 8;

std::string kernelName(const GraphFunction &function, const std::vector<NodeId> &nodes) {
    std::string name;
    for (size_t i = 0; i < nodes.size() && i < kMaxNamed; ++i) name += (i > 0 ? "_" : "") + function.node(nodes[i]).op;
    if (nodes.size() > kMaxNamed) name += fmt::format("_and_{}_more", nodes.size() - kMaxNamed);
    return name;
}

/// Fills in what the nodes of a kernel imply.
class KernelMaker {
  public:
    explicit KernelMaker(const GraphFunction &function)
        : m_function(function), m_readers(function.readers()), m_isResult(function.valueCount(), false),
          m_seen(function.valueCount(), 0) {
        for (const ValueId result : function.results()) m_isResult[result.index()] = true;
    }

    void complete(Kernel &kernel, size_t number, const std::vector<size_t> &kernelOf) {
        kernel.name = kernelName(m_function, kernel.nodes);
        kernel.alias = std::all_of(kernel.nodes.begin(), kernel.nodes.end(),
                                   [&](NodeId id) { return isAlias(m_function.node(id)); });
        PatternKind largest = PatternKind::Reduction;
        for (const NodeId id : kernel.nodes) {
            const Node &node = m_function.node(id);
            const PatternKind kind = patternOf(m_function, node);
            if (kind >= largest) {
                largest = kind;
                kernel.anchor = id;
            }
            for (const ValueId output : node.outputs) {
                const auto &readers = m_readers[output.index()];
                const bool outside = std::any_of(readers.begin(), readers.end(),
                                                 [&](NodeId reader) { return kernelOf[reader.index()] != number; });
                if (outside || m_isResult[output.index()]) kernel.outputs.push_back(output);
            }
        }
        // Nobody reads it: still something to compute.
        if (kernel.outputs.empty()) kernel.outputs.push_back(m_function.node(kernel.nodes.back()).outputs[0]);
        ++m_walk;
        for (const ValueId output : kernel.outputs) collectInputs(kernel, output, number, kernelOf);
    }

  private:
    void collectInputs(Kernel &kernel, ValueId output, size_t number, const std::vector<size_t> &kernelOf) {
        std::vector<ValueId> stack = {output};
        while (!stack.empty()) {
            const ValueId value = stack.back();
            stack.pop_back();
            if (m_seen[value.index()] == m_walk) continue;
            m_seen[value.index()] = m_walk;
            const NodeId producer = m_function.value(value).producer;
            if (producer.value < 0 || kernelOf[producer.index()] != number) {
                if (!isLiteral(m_function, value)) kernel.inputs.push_back(value);
                continue;
            }
            const Node &node = m_function.node(producer);
            for (size_t i = node.inputs.size(); i-- > 0;)
                if (node.inputs[i].value >= 0 && readsElements(node, i)) stack.push_back(node.inputs[i]);
        }
    }

    const GraphFunction &m_function;
    std::vector<std::vector<NodeId>> m_readers;
    std::vector<bool> m_isResult;
    std::vector<size_t> m_seen; // by value, the walk that was last there
    size_t m_walk = 0;
};

std::vector<CutEdge> cutsOf(const GraphFunction &function, const FusionGraph &graph, FusionGroups &groups,
                            const std::vector<size_t> &kernelOf) {
    std::vector<CutEdge> cuts;
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        const NodeId consumer(n);
        std::unordered_set<int> told; // producers
        for (const ValueId input : function.node(consumer).inputs) {
            if (input.value < 0) continue;
            const NodeId producer = function.value(input).producer;
            if (producer.value < 0 || kernelOf[producer.index()] == kernelOf[n]) continue;
            if (!told.insert(producer.value).second) continue;
            // Only concats leave their groups.
            const bool leftGroup = groups.rootOf(graph.ofNode[producer.index()]) == groups.rootOf(graph.ofNode[n]);
            cuts.push_back({producer, consumer,
                            leftGroup ? fmt::format("{} copies nothing, as its inputs are written where it lies: it is "
                                                    "part of no kernel",
                                                    nodeText(function.node(producer)))
                                      : cutReason(function, graph, groups, input, consumer)});
        }
    }
    return cuts;
}

} // namespace

std::string_view fusionModeName(FusionMode mode) { return mode == FusionMode::Compatible ? "compatible" : "better"; }

std::optional<FusionMode> fusionModeFromName(std::string_view name) {
    for (const FusionMode mode : {FusionMode::Compatible, FusionMode::Better})
        if (name == fusionModeName(mode)) return mode;
    return std::nullopt;
}

namespace {

/// Groups as kernels.
Partition partitionOf(const GraphFunction &function, FusionMode mode, const FusionGraph &graph, FusionGroups &groups,
                      const std::vector<size_t> &groupOf) {
    Partition partition;
    partition.mode = mode;
    partition.kernelOf.resize(function.nodeCount());
    // A kernel has one node whose outputs are read outside, its last one; so in the order of the last nodes each
    // kernel stands after what it reads.
    std::map<size_t, size_t> memberOf;
    std::vector<std::vector<NodeId>> members;
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        const auto [at, isNew] = memberOf.emplace(groupOf[n], members.size());
        if (isNew) members.emplace_back();
        members[at->second].push_back(NodeId(n));
    }
    std::sort(members.begin(), members.end(), [](const auto &a, const auto &b) { return a.back() < b.back(); });
    for (size_t k = 0; k < members.size(); ++k) {
        for (const NodeId node : members[k]) partition.kernelOf[node.index()] = k;
        partition.kernels.push_back({});
        partition.kernels.back().nodes = std::move(members[k]);
    }
    KernelMaker maker(function);
    for (size_t k = 0; k < partition.kernels.size(); ++k) maker.complete(partition.kernels[k], k, partition.kernelOf);
    partition.cuts = cutsOf(function, graph, groups, partition.kernelOf);
    return partition;
}

} // namespace

Partition partitionFunction(const GraphFunction &function, FusionMode mode, const std::set<NodeId> &apart) {
    const FusionGraph graph = fusionGraphOf(function);
    FusionGroups groups(graph);
    groups.sweep();
    std::vector<size_t> roots(function.nodeCount());
    for (size_t n = 0; n < function.nodeCount(); ++n) roots[n] = groups.rootOf(graph.ofNode[n]);
    if (mode == FusionMode::Compatible) return partitionOf(function, mode, graph, groups, roots);

    // A concat that is taken out of its group and then copied all the same would be a kernel more: it goes back. Each
    // round takes out fewer.
    std::set<NodeId> stay;
    for (;;) {
        std::vector<size_t> groupOf = roots;
        const std::vector<NodeId> taken =
            takeOutConcats(function, groupOf, [&](NodeId concat) { return !stay.contains(concat); });
        joinPrologues(function, groupOf, apart);
        Partition partition = partitionOf(function, mode, graph, groups, groupOf);
        joinConcats(function, partition);
        const size_t before = stay.size();
        for (const NodeId concat : taken)
            if (!partition.kernels[partition.kernelOf[concat.index()]].joins) stay.insert(concat);
        if (stay.size() == before) return partition;
    }
}

} // namespace loopscope
