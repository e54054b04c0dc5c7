#include "views/sketch_tree/tree_picture.h"

#include "views/session/text.h"

#include <QGraphicsScene>

#include <cmath>
#include <limits>

namespace loopscope {

void TreePicture::clear() {
    m_nodes.clear();
    m_edges.clear();
    m_cards.clear();
    m_states.clear();
    m_rects.clear();
    m_bounds = {};
    m_hot = {};
    m_view.scene()->clear();
    m_view.setContent({});
}

void TreePicture::build(const DerivationTree &tree, const ShownTree &shown, const std::vector<Sketch> &sketches) {
    clear();
    m_look = std::make_unique<TreeLook>(m_theme);
    std::vector<TreeBox> boxes;
    for (size_t i = 0; i < shown.nodes.size(); ++i) {
        const auto &at = shown.nodes[i];
        const auto &node = tree.nodes[static_cast<size_t>(at.number)];
        const int index = static_cast<int>(i);
        const bool card = node.sketch >= 0 && !node.again;
        if (card) {
            auto *item = new CardItem(*m_look, index, node, sketches[static_cast<size_t>(node.sketch)]);
            boxes.push_back(item->box());
            m_cards.push_back(item);
            m_nodes.push_back(item);
            m_states.push_back(nullptr);
        } else {
            QString caption;
            if (node.parent < 0) caption = QStringLiteral("naive");
            if (node.again) caption = QStringLiteral("again sketch %1").arg(node.sketch);
            auto *item = new StateItem(*m_look, index, at, node, caption);
            boxes.push_back(item->box());
            m_nodes.push_back(item);
            m_states.push_back(item);
        }
        EdgeItem *edge = nullptr;
        if (at.parent >= 0) {
            edge = new EdgeItem(*m_look, index, at);
            boxes.back().label = edge->labelSize();
        }
        m_edges.push_back(edge);
    }
    TreeSpacing spacing;
    spacing.row = 0.8 * m_look->line;
    spacing.curve = 2.1 * m_look->line;
    const TreePlaces places = placeTree(shown, boxes, spacing);
    for (size_t i = 0; i < m_nodes.size(); ++i) {
        m_nodes[i]->setPos(places.boxes[i].topLeft());
        m_rects.push_back(places.boxes[i]);
        m_view.scene()->addItem(m_nodes[i]);
        if (!m_edges[i]) continue;
        m_edges[i]->place(places.edges[i], places.labels[i]);
        m_view.scene()->addItem(m_edges[i]);
    }
    m_bounds = places.bounds.adjusted(-8, -8, 8, 8);
    m_view.setContent(m_bounds);
}

TreeSpot TreePicture::spotAt(const QPointF &scene) const {
    for (QGraphicsItem *item : m_view.scene()->items(scene)) {
        const auto *own = static_cast<const TreeItem *>(item); // the scene holds nothing else
        const TreeSpot spot = own->spotAt(own->mapFromScene(scene));
        if (spot.kind != TreeSpot::Kind::None) return spot;
    }
    return {};
}

QRectF TreePicture::nodeRect(int index) const {
    return index >= 0 && static_cast<size_t>(index) < m_rects.size() ? m_rects[static_cast<size_t>(index)] : QRectF();
}

int TreePicture::neighbour(int index, int direction) const {
    const QRectF from = nodeRect(index);
    int best = -1;
    double bestCost = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < m_rects.size(); ++i) {
        const double down = (m_rects[i].center().y() - from.center().y()) * direction;
        if (static_cast<int>(i) == index || down <= 1) continue;
        const double cost = down + 8 * std::fabs(m_rects[i].left() - from.left());
        if (cost >= bestCost) continue;
        best = static_cast<int>(i);
        bestCost = cost;
    }
    return best;
}

void TreePicture::setMarks(const std::vector<TreeMarks> &marks) {
    for (size_t i = 0; i < m_nodes.size() && i < marks.size(); ++i) {
        TreeMarks own = marks[i];
        own.stage = false; // the edge's
        m_nodes[i]->setMarks(own);
        if (!m_edges[i]) continue;
        TreeMarks edge = marks[i];
        edge.selected = edge.current = false;
        m_edges[i]->setMarks(edge);
        m_edges[i]->setZValue(edge.onPath ? -0.5 : -1);
    }
    m_view.contentChanged();
}

void TreePicture::setHot(const TreeSpot &spot) {
    if (spot == m_hot) return;
    const auto tell = [this](const TreeSpot &at, const TreeSpot &what) {
        if (at.node < 0 || static_cast<size_t>(at.node) >= m_nodes.size()) return;
        const bool edge = at.kind == TreeSpot::Kind::Edge || at.kind == TreeSpot::Kind::OnTheWay;
        if (!edge)
            node(at.node)->setHot(what);
        else if (EdgeItem *item = m_edges[static_cast<size_t>(at.node)])
            item->setHot(what);
    };
    tell(m_hot, {});
    m_hot = spot;
    tell(m_hot, m_hot);
}

void TreePicture::setNumbers(const DerivationTree &tree, const ShownTree &shown, const SketchStatistics &statistics) {
    for (CardItem *card : m_cards)
        card->setNumbers(statistics.of(card->sketch()), card->sketch() == statistics.bestSketch(), statistics.fastest(),
                         statistics.slowest());
    for (size_t i = 0; i < m_states.size(); ++i) {
        if (!m_states[i] || shown.nodes[i].hiddenSketches == 0) continue;
        double best = std::numeric_limits<double>::infinity();
        for (size_t number = 0; number < shown.placeOf.size(); ++number) {
            const int sketch = tree.nodes[number].sketch;
            if (shown.placeOf[number] == static_cast<int>(i) && sketch >= 0)
                best = std::min(best, statistics.of(sketch).best);
        }
        m_states[i]->setBelow(std::isfinite(best) ? QStringLiteral("best %1").arg(timeText(best)) : QString());
    }
    m_view.contentChanged();
}

void TreePicture::setSelectedSeconds(int sketch, double seconds) {
    for (CardItem *card : m_cards)
        card->setSelectedSeconds(card->sketch() == sketch ? seconds : std::numeric_limits<double>::quiet_NaN());
}

} // namespace loopscope
