#pragma once
// Which iteration of its loops computes an element of a stage, and which elements iterations cover: the iteration graph
// of the stage with numbers in it. Elements count from the first of what is computed at once (AxisRegion::min), so that
// no variable of a loop outside is needed.

#include "schedule/bound_inference.h"

#include <cstdint>
#include <span>
#include <vector>

namespace loopscope {

class TileMap {
  public:
    TileMap() = default;
    TileMap(const Stage &stage, const StageBounds &bounds);

    /// Values of all nodes of the iteration graph for the element: `nodes` becomes nodeCount() long. Reduce axes that
    /// `element` leaves out are 0.
    void nodesOf(std::span<const int64_t> element, std::vector<int64_t> &nodes) const;
    /// The node that a loop stands for.
    [[nodiscard]] int nodeOfLoop(size_t loop) const { return m_leaves[loop]; }
    /// How many elements along each axis, reduce axes too, lie in the box around what the loops marked `running` cover
    /// while all others are at their first iteration.
    [[nodiscard]] std::vector<int64_t> box(const std::vector<bool> &running) const;

  private:
    [[nodiscard]] int64_t extent(int node) const { return m_extents[static_cast<size_t>(node)]; }

    size_t m_axes = 0;
    std::vector<IterRelation> m_relations; // from the axes to the loops
    std::vector<int64_t> m_extents;        // by node
    std::vector<int> m_leaves;             // node by loop
};

} // namespace loopscope
