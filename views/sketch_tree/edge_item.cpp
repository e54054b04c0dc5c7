#include "views/sketch_tree/tree_items.h"

#include <QPainter>

#include <algorithm>

namespace loopscope {

namespace {
constexpr double kMaxLabel = 300; // the tooltip has the rest
}

EdgeItem::EdgeItem(const TreeLook &look, int index, const ShownNode &shown)
    : TreeItem(look, index), m_label(look.elided(shown.label, kMaxLabel)), m_quiet(shown.quiet) {
    if (shown.refusedOnTheWay > 0) m_refused = QStringLiteral("%1 refused").arg(shown.refusedOnTheWay);
    const QRectF stub = m_refused.isEmpty() ? QRectF() : look.stubRect(m_refused);
    m_detail = look.smallElided(shown.detail, kMaxLabel - stub.width());
    const double below = (m_detail.isEmpty() ? 0 : look.smallWidth(m_detail) + 8) + stub.width();
    m_size = QSizeF(std::ceil(std::max(look.width(m_label), below)) + 4,
                    2 * std::ceil(std::max(look.line + 2, look.smallLine + 7)));
    setZValue(-1);
}

void EdgeItem::place(const QPainterPath &path, const QRectF &label) {
    prepareGeometryChange();
    m_path = path;
    m_rect = QRectF(label.topLeft(), m_size);
    if (!m_refused.isEmpty()) {
        m_stub = m_look.stubRect(m_refused);
        const double left = m_detail.isEmpty() ? 0 : m_look.smallWidth(m_detail) + 8;
        m_stub.moveTopLeft(QPointF(m_rect.left() + left, m_rect.center().y() + 2));
    }
}

QRectF EdgeItem::boundingRect() const { return (m_path.boundingRect() | m_rect).adjusted(-2, -2, 2, 2); }

QPainterPath EdgeItem::shape() const {
    QPainterPath shape;
    shape.addRect(m_rect);
    return shape;
}

TreeSpot EdgeItem::spotAt(const QPointF &own) const {
    if (m_stub.contains(own)) return {TreeSpot::Kind::OnTheWay, m_index};
    return m_rect.contains(own) ? TreeSpot{TreeSpot::Kind::Edge, m_index} : TreeSpot{};
}

void EdgeItem::paint(QPainter *painter, const QStyleOptionGraphicsItem *, QWidget *) {
    painter->setRenderHint(QPainter::Antialiasing);
    const bool strong = m_marks.onPath;
    QColor line = m_look.color(strong ? Role::Accent : m_quiet ? Role::Border : Role::QuietText);
    if (!strong && !m_quiet) line.setAlphaF(0.6F);
    painter->setPen(QPen(line, strong ? 2.2 : m_quiet ? 1 : 1.5));
    painter->setBrush(Qt::NoBrush);
    painter->drawPath(m_path);
    if (!legible(*painter, m_look.smallLine)) return;
    const double middle = m_rect.center().y();
    const QRectF above(m_rect.left(), middle - m_look.line - 2, m_rect.width(), m_look.line);
    const bool hot = m_hot.kind == TreeSpot::Kind::Edge;
    if (m_marks.found || m_marks.stage || hot) {
        const double width = m_look.width(m_label) + 8;
        painter->setPen(m_marks.foundNow ? QPen(m_look.color(Role::Warning), 1.4) : QPen(Qt::NoPen));
        painter->setBrush(m_look.color(m_marks.found || m_marks.stage ? Role::Highlight : Role::Hover));
        painter->drawRoundedRect(QRectF(above.left() - 4, above.top(), width, above.height()), 4, 4);
    }
    painter->setFont(m_look.font);
    painter->setPen(m_look.color(m_quiet && !strong ? Role::QuietText : Role::Text));
    painter->drawText(above, Qt::AlignLeft | Qt::AlignVCenter, m_label);
    const QRectF below(m_rect.left(), middle + 2, m_rect.width(), m_look.smallLine + 4);
    if (!m_detail.isEmpty()) {
        painter->setFont(m_look.small);
        painter->setPen(m_look.color(Role::QuietText));
        painter->drawText(below, Qt::AlignLeft | Qt::AlignVCenter, m_detail);
    }
    if (!m_refused.isEmpty()) m_look.paintStub(*painter, m_stub, m_refused, m_hot.kind == TreeSpot::Kind::OnTheWay);
}

} // namespace loopscope
