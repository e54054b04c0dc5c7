#pragma once
// The panels and strips of a kernel's tiles laid out in a graph view: beside one another as far as the room asks for
// it, with lines from a tile to the panel that shows it large.

#include "views/graph/graph_view.h"
#include "views/tiles/tile_items.h"

#include <optional>
#include <vector>

namespace loopscope {

class TileScene {
  public:
    TileScene(GraphView &graph, const Theme &theme) : m_graph(graph), m_theme(theme) {}

    /// `again`: the same kernel with another focus; what one looks at stays where it is.
    void show(const TilePicture &picture, bool again);
    void clear();
    /// Another size of the view may want another arrangement.
    void arrange();
    [[nodiscard]] bool empty() const { return m_panels.empty() && m_strips.empty(); }

    struct Hit {
        int panel = -1;
        int strip = -1;
        std::optional<std::pair<int64_t, int64_t>> place; // row and column of the panel's plane
    };
    [[nodiscard]] Hit hitAt(QPointF scenePoint) const;
    /// Frames what shows the loop; nothing else keeps a frame.
    void setSelected(const TileLoopRef &loop);

    [[nodiscard]] const std::vector<TilePanelItem *> &panels() const { return m_panels; }
    [[nodiscard]] const std::vector<TileStripItem *> &strips() const { return m_strips; }

  private:
    QSizeF place(int columns, bool really);
    void addLines();
    void setBounds(bool start);

    GraphView &m_graph;
    const Theme &m_theme;
    std::vector<TilePanelItem *> m_panels;
    std::vector<TileStripItem *> m_strips;
    std::vector<QGraphicsItem *> m_lines;
    int m_columns = 0;
};

} // namespace loopscope
