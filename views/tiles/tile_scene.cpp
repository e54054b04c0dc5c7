#include "views/tiles/tile_scene.h"

#include <QGraphicsLineItem>
#include <QGraphicsScene>
#include <QPen>

#include <algorithm>

namespace loopscope {

namespace {

constexpr double kBetween = 40; // panels
constexpr double kUnder = 28;
constexpr double kStrips = 10;
constexpr double kStripWidth = 420;

/// From a tile to the panel that shows it large; in the colours of the moment.
class LineItem final : public QGraphicsItem {
  public:
    LineItem(const Theme &theme, const QLineF &line) : m_theme(theme), m_line(line) { setZValue(1); }
    [[nodiscard]] QRectF boundingRect() const override {
        return QRectF(m_line.p1(), m_line.p2()).normalized().adjusted(-2, -2, 2, 2);
    }
    [[nodiscard]] QPainterPath shape() const override { return {}; } // never under the cursor
    void paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) override {
        QPen pen(m_theme.color(Role::QuietText), 1, Qt::DashLine);
        pen.setCosmetic(true);
        painter->setPen(pen);
        painter->drawLine(m_line);
    }

  private:
    const Theme &m_theme;
    QLineF m_line;
};

} // namespace

void TileScene::clear() {
    m_panels.clear();
    m_strips.clear();
    m_lines.clear();
    m_graph.scene()->clear();
    m_graph.setContent({});
}

void TileScene::show(const TilePicture &picture, bool again) {
    m_panels.clear();
    m_strips.clear();
    m_lines.clear();
    m_graph.scene()->clear();
    for (size_t i = 0; i < picture.panels.size(); ++i) {
        m_panels.push_back(new TilePanelItem(m_theme, picture.panels[i], static_cast<int>(i)));
        m_graph.scene()->addItem(m_panels.back());
    }
    for (const TileStrip &strip : picture.strips) {
        m_strips.push_back(new TileStripItem(m_theme, strip, kStripWidth));
        m_graph.scene()->addItem(m_strips.back());
    }
    if (!again) m_columns = 0;
    if (m_columns == 0) {
        arrange();
    } else {
        place(m_columns, true);
        addLines();
        setBounds(false);
    }
}

/// In so many columns; the size that takes.
QSizeF TileScene::place(int columns, bool really) {
    double y = 0, widest = 0;
    for (size_t first = 0; first < m_panels.size(); first += static_cast<size_t>(columns)) {
        const size_t end = std::min(m_panels.size(), first + static_cast<size_t>(columns));
        double x = 0, height = 0;
        for (size_t i = first; i < end; ++i) {
            if (really) m_panels[i]->setPos(x, y);
            x += m_panels[i]->size().width() + kBetween;
            height = std::max(height, m_panels[i]->size().height());
        }
        widest = std::max(widest, x - kBetween);
        y += height + kUnder;
    }
    for (TileStripItem *strip : m_strips) {
        if (really) strip->setPos(0, y);
        widest = std::max(widest, strip->size().width());
        y += strip->size().height() + kStrips;
    }
    return {widest, y};
}

void TileScene::arrange() {
    if (empty()) return;
    const QSizeF room = m_graph.viewport()->size();
    int best = 1;
    double largest = 0;
    for (int columns = 1; columns <= std::max<int>(1, static_cast<int>(m_panels.size())); ++columns) {
        const QSizeF size = place(columns, false);
        const double scale = std::min(room.width() / size.width(), room.height() / size.height());
        if (scale <= largest * 1.02) continue;
        largest = scale;
        best = columns;
    }
    const bool other = best != m_columns;
    if (!other && !m_graph.untouched()) return;
    m_columns = best;
    place(best, true);
    addLines();
    setBounds(true);
}

void TileScene::setBounds(bool start) {
    QRectF bounds;
    for (const TilePanelItem *item : m_panels) bounds |= item->sceneBoundingRect();
    for (const TileStripItem *item : m_strips) bounds |= item->sceneBoundingRect();
    m_graph.setContent(bounds.adjusted(-8, -8, 8, 8));
    if (start) m_graph.showStart(m_panels.empty() ? bounds : m_panels.front()->sceneBoundingRect(), 0.55);
    m_graph.contentChanged();
}

void TileScene::addLines() {
    for (QGraphicsItem *line : m_lines) delete line;
    m_lines.clear();
    for (size_t i = 0; i + 1 < m_panels.size(); ++i) {
        const QRectF inside = m_panels[i]->panel().entered ? m_panels[i]->entered() : QRectF();
        if (inside.isEmpty() || m_panels[i]->pos().y() != m_panels[i + 1]->pos().y()) continue;
        const QRectF from = m_panels[i]->mapRectToScene(inside);
        const QRectF to = m_panels[i + 1]->mapRectToScene(m_panels[i + 1]->cells());
        for (const QLineF &line :
             {QLineF(from.topRight(), to.topLeft()), QLineF(from.bottomRight(), to.bottomLeft())}) {
            m_lines.push_back(new LineItem(m_theme, line));
            m_graph.scene()->addItem(m_lines.back());
        }
    }
}

TileScene::Hit TileScene::hitAt(QPointF scenePoint) const {
    Hit hit;
    for (size_t i = 0; i < m_panels.size(); ++i) {
        const QPointF point = m_panels[i]->mapFromScene(scenePoint);
        if (!m_panels[i]->boundingRect().contains(point)) continue;
        hit.panel = static_cast<int>(i);
        hit.place = m_panels[i]->placeAt(point);
        return hit;
    }
    for (size_t i = 0; i < m_strips.size(); ++i)
        if (m_strips[i]->sceneBoundingRect().contains(scenePoint)) hit.strip = static_cast<int>(i);
    return hit;
}

void TileScene::setSelected(const TileLoopRef &loop) {
    for (TilePanelItem *item : m_panels) {
        const auto &loops = item->panel().loops;
        item->setSelected(std::find(loops.begin(), loops.end(), loop) != loops.end());
    }
    for (TileStripItem *item : m_strips) item->setSelected(item->strip().loop == loop);
}

} // namespace loopscope
