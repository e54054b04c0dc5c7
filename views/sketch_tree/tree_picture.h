#pragma once
// The items of one shown tree in a graph view: made and placed at once, found by place or by node, painted anew when
// numbers or marks change. Numbers change nothing about sizes, so a running search moves nothing.

#include "views/graph/graph_view.h"
#include "views/sketch_tree/tree_items.h"

#include <memory>
#include <vector>

namespace loopscope {

class TreePicture {
  public:
    TreePicture(GraphView &view, const Theme &theme) : m_view(view), m_theme(theme) {}

    /// Replaces what was there.
    void build(const DerivationTree &tree, const ShownTree &shown, const std::vector<Sketch> &sketches);
    void clear();

    [[nodiscard]] TreeSpot spotAt(const QPointF &scene) const;
    [[nodiscard]] QRectF nodeRect(int index) const; // with the label of the edge that leads to it
    [[nodiscard]] QRectF bounds() const { return m_bounds; }
    /// The nearest node in the direction of an arrow key's up and down: of the same column where there is one.
    [[nodiscard]] int neighbour(int index, int direction) const;

    void setMarks(const std::vector<TreeMarks> &marks);
    void setHot(const TreeSpot &spot);
    void setNumbers(const DerivationTree &tree, const ShownTree &shown, const SketchStatistics &statistics);
    /// Of the selected trial, on its sketch's card; NaN none.
    void setSelectedSeconds(int sketch, double seconds);

  private:
    [[nodiscard]] TreeItem *node(int index) const { return m_nodes[static_cast<size_t>(index)]; }
    GraphView &m_view;
    const Theme &m_theme;
    std::unique_ptr<TreeLook> m_look; // the items' own, of the font they were measured with
    std::vector<TreeItem *> m_nodes;  // by index in the shown tree
    std::vector<EdgeItem *> m_edges;  // the edge that leads there; null for the root
    std::vector<CardItem *> m_cards;
    std::vector<StateItem *> m_states; // by index; null where a card stands
    std::vector<QRectF> m_rects;
    QRectF m_bounds;
    TreeSpot m_hot;
};

} // namespace loopscope
