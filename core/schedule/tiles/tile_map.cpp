#include "schedule/tiles/tile_map.h"

#include "schedule/iteration_graph.h"

#include <algorithm>

namespace loopscope {

namespace {
size_t at(int node) { return static_cast<size_t>(node); }
} // namespace

TileMap::TileMap(const Stage &stage, const StageBounds &bounds)
    : m_axes(axisCount(*stage.op)), m_relations(stage.relations), m_extents(bounds.nodeExtent) {
    m_leaves.reserve(stage.iters.size());
    for (const Iter &iter : stage.iters) m_leaves.push_back(iter.node);
    for (int64_t &extent : m_extents) extent = std::max<int64_t>(extent, 1);
}

void TileMap::nodesOf(std::span<const int64_t> element, std::vector<int64_t> &nodes) const {
    nodes.assign(m_extents.size(), 0);
    std::copy_n(element.begin(), std::min(element.size(), m_axes), nodes.begin());
    for (const IterRelation &relation : m_relations) {
        const int64_t inner = extent(relation.inner);
        if (relation.kind == IterRelation::Kind::Split) {
            nodes[at(relation.outer)] = nodes[at(relation.parent)] / inner;
            nodes[at(relation.inner)] = nodes[at(relation.parent)] % inner;
        } else {
            nodes[at(relation.parent)] = nodes[at(relation.outer)] * inner + nodes[at(relation.inner)];
        }
    }
}

std::vector<int64_t> TileMap::box(const std::vector<bool> &running) const {
    std::vector<int64_t> range(m_extents.size(), 1);
    for (size_t loop = 0; loop < m_leaves.size(); ++loop)
        if (running[loop]) range[at(m_leaves[loop])] = extent(m_leaves[loop]);
    for (auto relation = m_relations.rbegin(); relation != m_relations.rend(); ++relation) {
        const int64_t inner = extent(relation->inner);
        if (relation->kind == IterRelation::Kind::Split) {
            const int64_t covered = (range[at(relation->outer)] - 1) * inner + range[at(relation->inner)];
            range[at(relation->parent)] = std::min(covered, extent(relation->parent));
        } else {
            const int64_t covered = range[at(relation->parent)];
            range[at(relation->outer)] = std::min((covered + inner - 1) / inner, extent(relation->outer));
            range[at(relation->inner)] = std::min(covered, inner);
        }
    }
    range.resize(m_axes);
    return range;
}

} // namespace loopscope
