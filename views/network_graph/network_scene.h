#pragma once
// The picture's items in a graph view, and what is marked on them: selected, under the mouse, found, more and less of
// what the overlay shows.

#include "views/graph/graph_edge_item.h"
#include "views/graph/graph_view.h"
#include "views/network_graph/box_item.h"

#include <map>

namespace loopscope {

/// What lies at a place.
struct NetworkHit {
    int box = -1;
    int arrow = -1;
    int frame = -1; // of an expanded fold
};

class NetworkScene {
  public:
    NetworkScene(GraphView &view, const Theme &theme) : m_view(view), m_theme(theme) {}

    void show(NetworkPicturePtr picture);
    void clear();
    [[nodiscard]] const NetworkPicture *picture() const { return m_picture.get(); }

    /// Nodes of the facts; those in a fold mark the fold.
    void setSelected(const std::vector<int> &nodes);
    void setHovered(QGraphicsItem *item);
    /// Nothing is faded while `looking` is false.
    void setMatches(const std::vector<int> &nodes, bool looking);
    /// The most that any box has of what the overlay shows.
    [[nodiscard]] double most() const { return m_most; }

    [[nodiscard]] NetworkHit hit(QGraphicsItem *item) const;
    /// The first that is selected; -1 none.
    [[nodiscard]] int selectedBox() const { return m_selected.empty() ? -1 : *m_selected.begin(); }
    [[nodiscard]] QRectF rectOf(int box) const; // empty for -1
    [[nodiscard]] QRectF selectedRect() const;
    [[nodiscard]] BoxItem *item(int box) const { return m_boxes[static_cast<size_t>(box)]; }

  private:
    void updateMarks();
    void colour();
    [[nodiscard]] std::set<int> boxesOf(const std::vector<int> &nodes) const;

    GraphView &m_view;
    const Theme &m_theme;
    NetworkPicturePtr m_picture;
    std::vector<BoxItem *> m_boxes;
    std::vector<GraphEdgeItem *> m_arrows;
    std::map<const QGraphicsItem *, int> m_arrowOf;
    std::map<const QGraphicsItem *, int> m_frameOf;
    std::set<int> m_selected; // boxes
    int m_hovered = -1;
    int m_hoveredArrow = -1;
    std::set<int> m_matches;
    bool m_looking = false;
    double m_most = 0;
};

} // namespace loopscope
