#include "schedule/grouping/point_costs.h"

#include "base/check.h"
#include "schedule/grouping/cost_structure.h"
#include "schedule/grouping/inlining.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace loopscope {

PointCosts::PointCosts(const Pipeline &pipeline, IndexCost indices) : m_pipeline(pipeline), m_indices(indices) {
    for (const PipelineNode &node : pipeline.nodes) {
        std::set<int> reads;
        std::unordered_set<const ExprNode *> seen;
        const auto visit = [&](auto &&self, Expr e) -> void {
            if (!seen.insert(e.node()).second) return;
            if (e->kind == ExprKind::Load && !pipeline.isInput(pipeline.bufferOf(e)) &&
                pipeline.bufferOf(e) != node.stage)
                reads.insert(pipeline.bufferOf(e));
            for (const Expr operand : e->operands()) self(self, operand);
        };
        for (const Expr value : node.values) visit(visit, value);
        for (const Expr condition : node.conditions) visit(visit, condition);
        m_reads.emplace_back(reads.begin(), reads.end());
    }
}

const PointCost &PointCosts::cost(int node, const std::vector<bool> &inlined) {
    // The inlined stages that its expressions come to hold.
    std::set<int> reached;
    std::vector<int> open = {node};
    while (!open.empty()) {
        const int current = open.back();
        open.pop_back();
        for (const int stage : readStages(current))
            if (inlined[static_cast<size_t>(stage)] && reached.insert(stage).second)
                open.push_back(m_pipeline.stages[static_cast<size_t>(stage)].nodes.front());
    }
    std::pair<int, std::vector<int>> key{node, {reached.begin(), reached.end()}};
    const auto known = m_costs.find(key);
    if (known != m_costs.end()) return known->second;
    PointCost cost = reached.empty() || !m_pipeline.node(node).places.empty() ? priced(node, inlined)
                                                                              : pricedByStructure(node, inlined);
    return m_costs.emplace(std::move(key), std::move(cost)).first->second;
}

PointCost PointCosts::pricedByStructure(int node, const std::vector<bool> &inlined) {
    CostStructure structure = costStructureOf(m_pipeline, node, inlined);
    const std::vector<BufferNumber> &buffers = structure.buffers;
    const auto known = m_structureCosts.find(structure.text);
    if (known != m_structureCosts.end()) {
        PointCost cost{.arith = known->second.arith, .bytes = {}, .placeBytes = known->second.placeBytes};
        for (const auto &[ordinal, bytes] : known->second.bytes)
            cost.addBytes(buffers[static_cast<size_t>(ordinal)], bytes);
        return cost;
    }
    PointCost cost = priced(node, inlined);
    PointCost byOrdinal{.arith = cost.arith, .bytes = {}, .placeBytes = cost.placeBytes};
    for (const auto &[buffer, bytes] : cost.bytes) {
        const auto at = std::find(buffers.begin(), buffers.end(), buffer);
        LOOPSCOPE_CHECK(at != buffers.end(), "a cost of a buffer that its node does not read");
        byOrdinal.addBytes(static_cast<BufferNumber>(at - buffers.begin()), bytes);
    }
    m_structureCosts.emplace(std::move(structure.text), std::move(byOrdinal));
    return cost;
}

PointCost PointCosts::priced(int node, const std::vector<bool> &inlined) {
    // What is priced is forgotten: the next takes its memory.
    m_scratch.reset();
    const ArenaScope scope(m_scratch);
    return costOfNode(m_pipeline, node, inlinedValues(m_pipeline, node, inlined),
                      inlinedPlaces(m_pipeline, node, inlined), m_indices);
}

} // namespace loopscope
