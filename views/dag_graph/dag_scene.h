#pragma once
// The picture's items in a graph view, and what is marked on them: selected, under the mouse, found.

#include "views/dag_graph/node_item.h"
#include "views/graph/graph_edge_item.h"
#include "views/graph/graph_view.h"

namespace loopscope {

/// What lies at a place.
struct DagHit {
    int node = -1;
    int axis = -1; // of the node's stage
    QString added; // stage the schedule added
    int edge = -1;
    int frame = -1; // of an expanded chain
};

class DagScene {
  public:
    DagScene(GraphView &view, const Theme &theme);

    void show(DagPicturePtr picture);
    void clear();
    [[nodiscard]] const DagPicture *picture() const { return m_picture.get(); }

    void setPlacements(const std::map<QString, Placement> &placements);
    /// Names as in Selection; what is not in this DAG marks nothing.
    void setSelected(const QString &stage, const QString &iterator);
    void setHovered(QGraphicsItem *item);
    /// Stages; those in a folded chain mark the chain. Nothing is faded while `looking` is false.
    void setMatches(const std::set<int> &stages, bool looking);

    [[nodiscard]] DagHit hit(QGraphicsItem *item, QPointF scenePoint) const;
    [[nodiscard]] int nodeOfStage(const QString &stage) const; // -1 none; added stages lie at their origin
    [[nodiscard]] int selectedNode() const { return m_selected; }
    [[nodiscard]] QRectF rectOf(int node) const; // empty for -1
    /// For tests.
    [[nodiscard]] NodeItem *item(int node) const { return m_nodes[static_cast<size_t>(node)]; }

  private:
    void updateMarks();

    GraphView &m_view;
    const Theme &m_theme;
    DagPicturePtr m_picture;
    std::vector<NodeItem *> m_nodes;
    std::vector<GraphEdgeItem *> m_edges;
    std::map<const QGraphicsItem *, int> m_edgeOf;
    std::map<const QGraphicsItem *, int> m_frameOf;
    std::map<QString, Placement> m_placements;

    QString m_stage;
    QString m_iterator;
    int m_selected = -1;
    int m_hovered = -1;
    int m_hoveredEdge = -1;
    std::set<int> m_matches;
    bool m_looking = false;
};

} // namespace loopscope
