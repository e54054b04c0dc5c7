#include "views/dag_graph/dag_scene.h"

#include "schedule/stage_facts.h"
#include "views/graph/level_of_detail.h"
#include "views/session/text.h"

#include <QFontMetricsF>
#include <QGraphicsScene>

namespace loopscope {

namespace {

/// Round the links of an expanded chain; a click folds them again.
class FrameItem : public QGraphicsItem {
  public:
    FrameItem(const Theme &theme, const QRectF &rect, const QFont &font) : m_theme(theme), m_rect(rect), m_font(font) {
        setZValue(-2);
        const QFontMetricsF metrics(font);
        const QSizeF size(metrics.horizontalAdvance(text()) + 12, metrics.height() + 2);
        m_tab = {QPointF(rect.left() + 8, rect.top() - size.height() / 2), size};
    }
    [[nodiscard]] QRectF boundingRect() const override { return (m_rect | m_tab).adjusted(-1, -1, 1, 1); }
    /// The tab alone: the ground inside is the graph's.
    [[nodiscard]] QPainterPath shape() const override {
        QPainterPath shape;
        shape.addRect(m_tab);
        return shape;
    }
    void paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) override {
        const bool far = levelOfDetail(*painter) < kTextDetail;
        QPen pen(m_theme.color(Role::Border), 1, Qt::DashLine);
        pen.setCosmetic(far);
        painter->setPen(pen);
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(m_rect, 8, 8);
        if (far) return;
        painter->setPen(QPen(m_theme.color(Role::Border), 1));
        painter->setBrush(m_theme.tint(Role::Compute));
        painter->drawRoundedRect(m_tab, 3, 3);
        painter->setPen(m_theme.color(Role::Compute));
        painter->setFont(m_font);
        painter->drawText(m_tab, Qt::AlignCenter, text());
    }

  private:
    static QString text() { return QStringLiteral("fold the chain"); }
    const Theme &m_theme;
    QRectF m_rect;
    QRectF m_tab;
    QFont m_font;
};

} // namespace

DagScene::DagScene(GraphView &view, const Theme &theme) : m_view(view), m_theme(theme) {}

void DagScene::clear() {
    m_nodes.clear();
    m_edges.clear();
    m_edgeOf.clear();
    m_frameOf.clear();
    m_picture.reset();
    m_selected = m_hovered = m_hoveredEdge = -1;
    m_view.setContent({}); // before the items go: it may know one of them
    m_view.scene()->clear();
}

void DagScene::show(DagPicturePtr picture) {
    clear();
    m_picture = std::move(picture);
    QGraphicsScene &scene = *m_view.scene();
    const NodeFonts &fonts = m_picture->options.fonts;
    for (size_t i = 0; i < m_picture->frames.size(); ++i) {
        auto *item = new FrameItem(m_theme, m_picture->frames[i].rect, fonts.small);
        m_frameOf[item] = static_cast<int>(i);
        scene.addItem(item);
    }
    for (size_t i = 0; i < m_picture->edges.size(); ++i) {
        const PictureEdge &edge = m_picture->edges[i];
        auto *item = new GraphEdgeItem(m_theme, edge.path, {});
        if (!edge.label.isEmpty()) item->setLabel(edge.label, fonts.small, edge.labelCentre, kEdgeLabelWidest);
        m_edgeOf[item] = static_cast<int>(i);
        m_edges.push_back(item);
        scene.addItem(item);
    }
    for (size_t i = 0; i < m_picture->nodes.size(); ++i) {
        auto *item = new NodeItem(m_theme, m_picture, static_cast<int>(i));
        item->setPlacements(m_placements);
        m_nodes.push_back(item);
        scene.addItem(item);
    }
    m_view.setContent(m_picture->bounds);
    setSelected(m_stage, m_iterator);
}

void DagScene::setPlacements(const std::map<QString, Placement> &placements) {
    m_placements = placements;
    for (NodeItem *item : m_nodes) item->setPlacements(m_placements);
    m_view.viewport()->update();
}

int DagScene::nodeOfStage(const QString &stage) const {
    if (!m_picture || stage.isEmpty()) return -1;
    const int number = originOf(stage, *m_picture->facts);
    return number < 0 ? -1 : m_picture->nodeOf[static_cast<size_t>(number)];
}

QRectF DagScene::rectOf(int node) const {
    if (!m_picture || node < 0) return {};
    return m_picture->nodes[static_cast<size_t>(node)].rect;
}

void DagScene::setSelected(const QString &stage, const QString &iterator) {
    m_stage = stage;
    m_iterator = iterator;
    m_selected = nodeOfStage(stage);
    updateMarks();
    m_view.setFocusRect(rectOf(m_selected));
    m_view.contentChanged();
}

void DagScene::setHovered(QGraphicsItem *item) {
    const auto edge = m_edgeOf.find(item);
    const int hoveredEdge = edge == m_edgeOf.end() ? -1 : edge->second;
    const auto *node = qgraphicsitem_cast<NodeItem *>(item);
    const int hovered = node ? node->number() : -1;
    if (hovered == m_hovered && hoveredEdge == m_hoveredEdge) return;
    m_hovered = hovered;
    m_hoveredEdge = hoveredEdge;
    updateMarks();
}

void DagScene::setMatches(const std::set<int> &stages, bool looking) {
    m_matches = stages;
    m_looking = looking;
    updateMarks();
    m_view.contentChanged();
}

void DagScene::updateMarks() {
    if (!m_picture) return;
    std::vector<NodeMarks> marks(m_nodes.size());
    for (size_t i = 0; i < m_edges.size(); ++i) {
        const PictureEdge &edge = m_picture->edges[i];
        const bool atHovered = m_hovered >= 0 && (edge.from == m_hovered || edge.to == m_hovered);
        const bool strong = atHovered || static_cast<int>(i) == m_hoveredEdge ||
                            (m_selected >= 0 && (edge.from == m_selected || edge.to == m_selected));
        m_edges[i]->setEmphasis(strong      ? GraphEdgeItem::Emphasis::Strong
                                : m_looking ? GraphEdgeItem::Emphasis::Faded
                                            : GraphEdgeItem::Emphasis::Normal);
        if (atHovered || static_cast<int>(i) == m_hoveredEdge) {
            marks[static_cast<size_t>(edge.from)].neighbour = true;
            marks[static_cast<size_t>(edge.to)].neighbour = true;
        }
    }
    if (m_hovered >= 0) marks[static_cast<size_t>(m_hovered)].neighbour = true;
    if (m_looking) {
        for (NodeMarks &mark : marks) mark.faded = true;
        for (const int stage : m_matches) {
            NodeMarks &mark = marks[static_cast<size_t>(m_picture->nodeOf[static_cast<size_t>(stage)])];
            mark.match = true;
            mark.faded = false;
        }
    }
    if (m_selected >= 0) {
        NodeMarks &mark = marks[static_cast<size_t>(m_selected)];
        mark.selected = true;
        mark.faded = false;
        const int stage = m_picture->facts->find(m_stage);
        if (stage < 0) mark.added = m_stage;
        if (!m_iterator.isEmpty() && stage >= 0) {
            const std::string iterator = std8(m_iterator);
            const auto originals = originalIterNames(iterator);
            const StageFact &fact = m_picture->facts->stages[static_cast<size_t>(stage)];
            for (size_t axis = 0; axis < fact.axes.size(); ++axis)
                if (std::find(originals.begin(), originals.end(), std8(fact.axes[axis].name)) != originals.end())
                    mark.axes.insert(static_cast<int>(axis));
        }
    }
    for (size_t i = 0; i < m_nodes.size(); ++i) m_nodes[i]->setMarks(marks[i]);
}

DagHit DagScene::hit(QGraphicsItem *item, QPointF scenePoint) const {
    DagHit hit;
    if (const auto *node = qgraphicsitem_cast<NodeItem *>(item)) {
        const QPointF point = node->mapFromScene(scenePoint);
        hit.node = node->number();
        if (!node->node().folded) hit.axis = node->axisAt(point);
        hit.added = node->addedAt(point);
    } else if (const auto edge = m_edgeOf.find(item); edge != m_edgeOf.end()) {
        hit.edge = edge->second;
    } else if (const auto frame = m_frameOf.find(item); frame != m_frameOf.end()) {
        hit.frame = frame->second;
    }
    return hit;
}

} // namespace loopscope
