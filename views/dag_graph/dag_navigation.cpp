#include "views/dag_graph/dag_navigation.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

void DagNavigation::selectNode(int node) {
    const DagPicture *picture = m_scene.picture();
    if (!picture || node < 0) return;
    const auto stage = static_cast<size_t>(picture->nodes[static_cast<size_t>(node)].stages[0]);
    m_selection.selectStage(picture->facts->stages[stage].name);
    m_graph.reveal(m_scene.rectOf(node));
}

void DagNavigation::selectNext(int direction) {
    const DagPicture *picture = m_scene.picture();
    if (!picture) return;
    const int count = static_cast<int>(picture->nodes.size());
    const int now = m_scene.selectedNode();
    selectNode(now < 0 ? (direction > 0 ? 0 : count - 1) : std::clamp(now + direction, 0, count - 1));
}

void DagNavigation::selectNeighbour(int key) {
    const DagPicture *picture = m_scene.picture();
    const int now = m_scene.selectedNode();
    if (!picture) return;
    if (now < 0) {
        selectNode(0);
        return;
    }
    const QPointF here = m_scene.rectOf(now).center();
    int best = -1;
    double least = 0;
    const auto consider = [&](int node, double distance) {
        if (best >= 0 && distance >= least) return;
        best = node;
        least = distance;
    };
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
        for (const PictureEdge &edge : picture->edges) {
            const int other = key == Qt::Key_Up ? (edge.to == now ? edge.from : -1) : (edge.from == now ? edge.to : -1);
            if (other < 0) continue;
            // What is computed goes before inputs.
            const auto stage = static_cast<size_t>(picture->nodes[static_cast<size_t>(other)].stages[0]);
            const bool input = picture->facts->stages[stage].kind == StageKind::Placeholder;
            consider(other, std::abs(m_scene.rectOf(other).center().x() - here.x()) + (input ? 1e7 : 0));
        }
    } else {
        for (int i = 0; i < static_cast<int>(picture->nodes.size()); ++i) {
            const QPointF there = m_scene.rectOf(i).center() - here;
            const bool right = there.x() > 1;
            if (i == now || std::abs(there.x()) <= 1 || right != (key == Qt::Key_Right)) continue;
            consider(i, std::abs(there.x()) + 4 * std::abs(there.y()));
        }
    }
    selectNode(best);
}

void DagNavigation::zoomToNode(int node) {
    const QRectF rect = m_scene.rectOf(node);
    if (rect.isEmpty()) return;
    // With what it reads and who reads it at its edges.
    m_graph.zoomTo(rect.adjusted(-rect.width() * 0.2, -rect.height() * 0.5, rect.width() * 0.2, rect.height() * 0.5));
}

QString DagNavigation::selectedExpression() const {
    const DagPicture *picture = m_scene.picture();
    const int stage = picture ? picture->facts->find(m_selection.now().stage) : -1;
    if (stage < 0) return {};
    const StageFact &fact = picture->facts->stages[static_cast<size_t>(stage)];
    QStringList axes;
    for (const AxisFact &axis : fact.axes)
        if (!axis.reduce) axes << axis.name;
    return fact.kind == StageKind::Placeholder
               ? fact.name
               : QStringLiteral("%1(%2) %3").arg(fact.name, axes.join(QStringLiteral(", ")), fact.expression);
}

} // namespace loopscope
