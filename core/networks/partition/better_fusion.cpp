#include "networks/partition/better_fusion.h"

#include "networks/op/data_layout.h"
#include "networks/op/operator.h"
#include "networks/partition/fusion_groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

namespace loopscope {

namespace {

bool allAre(const Node &node, std::string_view attribute, int64_t number) {
    const auto found = node.attributes.find(attribute);
    if (found == node.attributes.end()) return true;
    const auto *values = std::get_if<std::vector<int64_t>>(&found->second);
    return values && std::all_of(values->begin(), values->end(), [&](int64_t value) { return value == number; });
}

/// Every output element reads each input element of its place once for each output channel, no other.
bool isPointwiseConvolution(const GraphFunction &function, const Node &node) {
    if (node.op != "conv" || !allAre(node, "strides", 1) || !allAre(node, "pads", 0)) return false;
    const auto group = node.attributes.find("group");
    if (group != node.attributes.end() && std::get<int64_t>(group->second) != 1) return false;
    const Dims &stored = function.type(node.inputs[1]).dims;
    const Dims weight = permuted(stored, inverseOf(kernelAxesIn(layoutOf(node), stored.size())));
    return std::all_of(weight.begin() + 2, weight.end(), [](const Dim &extent) { return extent == Dim(1); });
}

/// Every output element reads elements of one input channel.
bool isDepthwiseConvolution(const GraphFunction &function, const Node &node) {
    if (node.op != "conv") return false;
    const auto group = node.attributes.find("group");
    const Dims &data = function.type(node.inputs[0]).dims;
    return group != node.attributes.end() && std::get<int64_t>(group->second) > 1 && data.size() > 1 &&
           data[channelAxis(layoutOf(node), data.size())] == Dim(std::get<int64_t>(group->second));
}

/// Puts elements elsewhere, each once, by arithmetic on indices alone.
bool isIndexMap(const Node &node) {
    static constexpr std::array<std::string_view, 6> kMaps = {"reshape", "transpose", "flatten",
                                                              "squeeze", "unsqueeze", "slice"};
    return std::find(kMaps.begin(), kMaps.end(), node.op) != kMaps.end();
}

/// The same of all elements together.
bool poolsEverything(const Node &node) { return node.op == "global_average_pool" || node.op == "global_max_pool"; }

class PrologueJoin {
  public:
    PrologueJoin(const GraphFunction &function, std::vector<size_t> &groupOf)
        : m_function(function), m_readers(function.readers()), m_groupOf(groupOf) {
        for (size_t n = 0; n < groupOf.size(); ++n) m_members[groupOf[n]].emplace_back(n);
    }

    void joinAll(const std::set<NodeId> &apart) {
        for (size_t n = 0; n < m_groupOf.size(); ++n) {
            const Node &node = m_function.node(NodeId(n));
            if (apart.contains(NodeId(n))) continue;
            if (isPointwiseConvolution(m_function, node) || poolsEverything(node))
                join(NodeId(n), node.inputs[0], &PrologueJoin::isComputedOnce);
            else if (isDepthwiseConvolution(m_function, node))
                join(NodeId(n), node.inputs[0], &PrologueJoin::movesElements);
        }
    }

  private:
    using Takes = bool (PrologueJoin::*)(const std::vector<NodeId> &) const;

    /// Nodes that compute little, where each element is read once.
    bool isComputedOnce(const std::vector<NodeId> &nodes) const {
        return std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) {
            return patternOf(m_function, m_function.node(id)) <= PatternKind::Broadcast;
        });
    }
    /// Nodes that compute nothing; those that only rename dims cost nothing as they are.
    bool movesElements(const std::vector<NodeId> &nodes) const {
        const auto is = [&](auto &&what) { return [&](NodeId id) { return what(m_function.node(id)); }; };
        return std::all_of(nodes.begin(), nodes.end(), is(isIndexMap)) &&
               std::any_of(nodes.begin(), nodes.end(),
                           is([](const Node &node) { return node.op == "transpose" || node.op == "slice"; }));
    }

    void join(NodeId reader, ValueId data, Takes takes) {
        const NodeId producer = m_function.value(data).producer;
        if (producer.value < 0) return;
        const size_t from = m_groupOf[producer.index()];
        const size_t to = m_groupOf[reader.index()];
        if (from == to || !(this->*takes)(m_members[from]) || !isPrologue(m_members[from], data, reader)) return;
        std::vector<NodeId> &target = m_members[to];
        std::vector<NodeId> &joined = m_members[from];
        if (target.size() + joined.size() > FusionGroups::kMaxVertices) return;
        for (const NodeId node : joined) m_groupOf[node.index()] = to;
        target.insert(target.end(), joined.begin(), joined.end());
        m_members.erase(from);
    }

    /// Nodes whose one output nobody but that node reads.
    bool isPrologue(const std::vector<NodeId> &nodes, ValueId output, NodeId only) {
        const auto &results = m_function.results();
        for (const NodeId id : nodes) {
            const Node &node = m_function.node(id);
            if (node.outputs.size() != 1) return false;
            const ValueId value = node.outputs[0];
            if (std::find(results.begin(), results.end(), value) != results.end()) return false;
            for (const NodeId reader : m_readers[value.index()])
                if (m_groupOf[reader.index()] != m_groupOf[id.index()] && (value != output || reader != only))
                    return false;
        }
        return true;
    }

    const GraphFunction &m_function;
    std::vector<std::vector<NodeId>> m_readers;
    std::vector<size_t> &m_groupOf;
    std::map<size_t, std::vector<NodeId>> m_members; // by group
};

} // namespace

std::vector<NodeId> takeOutConcats(const GraphFunction &function, std::vector<size_t> &groupOf,
                                   const std::function<bool(NodeId)> &mayJoin) {
    std::map<size_t, std::vector<NodeId>> members; // by group, in the order of the function
    for (size_t n = 0; n < groupOf.size(); ++n) members[groupOf[n]].emplace_back(n);
    size_t next = members.empty() ? 0 : members.rbegin()->first + 1;
    std::vector<NodeId> taken;
    for (const auto &[group, nodes] : members) {
        const NodeId first = nodes.front();
        if (nodes.size() == 1 || function.node(first).op != "concat" || !mayJoin(first)) continue;
        groupOf[first.index()] = next++;
        taken.push_back(first);
    }
    return taken;
}

void joinPrologues(const GraphFunction &function, std::vector<size_t> &groupOf, const std::set<NodeId> &apart) {
    PrologueJoin(function, groupOf).joinAll(apart);
}

} // namespace loopscope
