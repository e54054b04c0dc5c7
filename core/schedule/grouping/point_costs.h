#pragma once
// The costs of points of the nodes of a pipeline, each found once: for every set of stages that are inlined into a
// node, and for nodes of the same structure.

#include "schedule/grouping/point_cost.h"

#include <map>
#include <utility>
#include <vector>

namespace loopscope {

class PointCosts {
  public:
    /// The pipeline outlives it.
    PointCosts(const Pipeline &pipeline, IndexCost indices);

    /// A point of the node where all of these stages are inlined.
    const PointCost &cost(int node, const std::vector<bool> &inlined);
    /// The stages that the node itself reads.
    [[nodiscard]] const std::vector<int> &readStages(int node) const { return m_reads[static_cast<size_t>(node)]; }

  private:
    PointCost priced(int node, const std::vector<bool> &inlined);
    /// The same; what another node of the same structure came to, where there was one.
    PointCost pricedByStructure(int node, const std::vector<bool> &inlined);

    const Pipeline &m_pipeline;
    IndexCost m_indices;
    std::vector<std::vector<int>> m_reads; // stages, by node
    std::map<std::pair<int, std::vector<int>>, PointCost> m_costs;
    /// By structure (CostStructure), the buffers in its order.
    std::map<std::vector<uint64_t>, PointCost> m_structureCosts;
    ExprArena m_scratch; // of expressions that are priced
};

} // namespace loopscope
