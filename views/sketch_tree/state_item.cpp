#include "views/graph/level_of_detail.h"
#include "views/session/text.h"
#include "views/sketch_tree/tree_items.h"

#include <QPainter>

#include <algorithm>

namespace loopscope {

namespace {
constexpr double kMaxRow = 380; // a longer reason is elided; its tooltip has all of it
}

void TreeItem::setMarks(const TreeMarks &marks) {
    if (m_marks == marks) return;
    m_marks = marks;
    update();
}

void TreeItem::setHot(const TreeSpot &spot) {
    if (m_hot == spot) return;
    m_hot = spot;
    update();
}

bool TreeItem::legible(const QPainter &painter, double line) { return line * levelOfDetail(painter) >= kLegible; }

StateItem::StateItem(const TreeLook &look, int index, const ShownNode &shown, const DerivationNode &node,
                     const QString &caption)
    : TreeItem(look, index), m_caption(caption), m_state(node.state), m_collapsed(shown.hiddenSketches > 0) {
    const double height = 2.7 * look.line;
    const double captionWidth = caption.isEmpty() ? 0 : look.smallWidth(caption) + 12;
    m_body =
        QRectF(0, 0, std::max(3.9 * look.line, captionWidth), caption.isEmpty() ? height : height + look.smallLine);
    const double radius = 0.46 * look.line;
    if (shown.collapsible)
        m_handle = QRectF(m_body.right() - radius, m_body.center().y() - radius, 2 * radius, 2 * radius);
    double right = shown.collapsible ? m_handle.right() : m_body.right();
    double bottom = m_body.bottom();
    if (m_collapsed) {
        m_hidden = countedText(static_cast<size_t>(shown.hiddenSketches), "sketch", "sketches");
        right += 6 + std::max(look.width(m_hidden), look.smallWidth(QStringLiteral("best 000.0 ms")));
    }
    if (!shown.refused.empty()) {
        m_stubText = QStringLiteral("%1 refused").arg(shown.refused.size());
        if (shown.lists) m_stubText += QStringLiteral(" on %1").arg(shown.refused.front().stage);
        m_stubText = look.smallElided(m_stubText, kMaxRow);
        m_stub = look.stubRect(m_stubText).translated(6, bottom + 7);
        bottom = m_stub.bottom();
        right = std::max(right, m_stub.right());
    }
    if (shown.lists) {
        bottom += 4;
        for (const auto &tried : shown.refused) {
            const QString text = look.smallElided(QStringLiteral("%1: %2").arg(tried.rule, tried.reason), kMaxRow);
            const QRectF row(22, bottom, look.smallWidth(text) + 6, look.smallLine + 3);
            m_rows.push_back(row);
            m_rowTexts.push_back(text);
            bottom = row.bottom();
            right = std::max(right, row.right());
        }
    }
    m_size = QSizeF(std::ceil(right) + 1, std::ceil(bottom) + 1);
    setFlag(ItemUsesExtendedStyleOption);
}

TreeBox StateItem::box() const {
    TreeBox box;
    box.size = m_size;
    box.anchor = m_body.center().y();
    box.bodyWidth = m_body.right();
    return box;
}

void StateItem::setBelow(const QString &text) {
    if (m_below == text) return;
    m_below = text;
    update();
}

QRectF StateItem::boundingRect() const { return QRectF(QPointF(), m_size).adjusted(-4, -4, 4, 4); }

TreeSpot StateItem::spotAt(const QPointF &own) const {
    if (m_handle.adjusted(-3, -3, 3, 3).contains(own)) return {TreeSpot::Kind::Handle, m_index};
    if (m_body.contains(own)) return {TreeSpot::Kind::Node, m_index};
    if (m_collapsed && own.y() <= m_body.bottom() && own.x() > m_body.right()) return {TreeSpot::Kind::Handle, m_index};
    if (m_stub.contains(own)) return {TreeSpot::Kind::Refused, m_index};
    for (size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].contains(own)) return {TreeSpot::Kind::Row, m_index, static_cast<int>(i)};
    return {};
}

void StateItem::paintBody(QPainter &painter) const {
    const bool hot = m_hot.kind == TreeSpot::Kind::Node;
    const bool strong = m_marks.selected || m_marks.onPath;
    painter.setPen(QPen(m_look.color(strong ? Role::Accent : Role::Border), m_marks.selected ? 2.4 : strong ? 1.6 : 1));
    painter.setBrush(m_marks.found ? m_look.color(Role::Highlight)
                     : hot         ? m_look.color(Role::Hover)
                                   : m_look.color(Role::Raised));
    painter.drawRoundedRect(m_body, 6, 6);
    QRectF picture = m_body.adjusted(7, 5, -9, -5);
    if (!m_caption.isEmpty()) picture.setBottom(m_body.bottom() - m_look.smallLine - 3);
    if (m_state && !m_shape) m_shape = makeNestShape(*m_state);
    if (m_shape) m_look.paintThumbnail(painter, picture, *m_shape);
    if (!m_caption.isEmpty() && legible(painter, m_look.smallLine)) {
        painter.setFont(m_look.small);
        painter.setPen(m_look.color(Role::Text));
        painter.drawText(QRectF(m_body.left(), picture.bottom(), m_body.width(), m_look.smallLine + 2), Qt::AlignCenter,
                         m_caption);
    }
    if (m_marks.current || m_marks.foundNow) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_look.color(m_marks.foundNow ? Role::Warning : Role::Accent), 1.4,
                            m_marks.foundNow ? Qt::SolidLine : Qt::DotLine));
        painter.drawRoundedRect(m_body.adjusted(-3, -3, 3, 3), 8, 8);
    }
}

void StateItem::paintRefused(QPainter &painter) const {
    painter.setPen(m_look.refusedPen());
    const double x = m_stub.left() + 6;
    painter.drawLine(QPointF(x, m_body.bottom() + 1), QPointF(x, m_stub.top()));
    if (!legible(painter, m_look.smallLine)) {
        painter.drawRect(m_stub.adjusted(0, 4, 0, -4));
        return;
    }
    m_look.paintStub(painter, m_stub, m_stubText, m_hot.kind == TreeSpot::Kind::Refused);
    for (size_t i = 0; i < m_rows.size(); ++i) {
        const QRectF &row = m_rows[i];
        painter.setPen(m_look.refusedPen());
        painter.drawLine(QPointF(x, i == 0 ? m_stub.bottom() + 1 : m_rows[i - 1].center().y()),
                         QPointF(x, row.center().y()));
        painter.drawLine(QPointF(x, row.center().y()), QPointF(row.left() - 3, row.center().y()));
        if (m_hot.kind == TreeSpot::Kind::Row && m_hot.row == static_cast<int>(i))
            painter.fillRect(row, m_look.color(Role::Hover));
        const qsizetype colon = m_rowTexts[i].indexOf(QLatin1Char(':'));
        const QString rule = m_rowTexts[i].left(colon);
        painter.setFont(m_look.small);
        painter.setPen(m_look.color(Role::Text));
        painter.drawText(row.adjusted(3, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, rule);
        painter.setPen(m_look.color(Role::QuietText));
        painter.drawText(row.adjusted(3 + m_look.smallWidth(rule), 0, 4, 0), Qt::AlignVCenter | Qt::AlignLeft,
                         m_rowTexts[i].mid(colon));
    }
}

void StateItem::paint(QPainter *painter, const QStyleOptionGraphicsItem *, QWidget *) {
    painter->setRenderHint(QPainter::Antialiasing);
    paintBody(*painter);
    if (!m_stub.isEmpty()) paintRefused(*painter);
    if (m_handle.isEmpty()) return;
    const bool hot = m_hot.kind == TreeSpot::Kind::Handle;
    if (m_collapsed || hot || m_hot.kind == TreeSpot::Kind::Node || m_marks.current) {
        painter->setPen(QPen(m_look.color(hot ? Role::Accent : Role::Border), 1));
        painter->setBrush(m_look.color(m_collapsed ? Role::Raised : Role::Base));
        painter->drawEllipse(m_handle);
        const QPointF middle = m_handle.center();
        const double arm = m_handle.width() * 0.26;
        painter->setPen(QPen(m_look.color(Role::Text), 1.4));
        painter->drawLine(middle - QPointF(arm, 0), middle + QPointF(arm, 0));
        if (m_collapsed) painter->drawLine(middle - QPointF(0, arm), middle + QPointF(0, arm));
    }
    if (m_collapsed && legible(*painter, m_look.line)) {
        const QRectF text(m_handle.right() + 6, m_handle.center().y() - m_look.line, m_size.width(), m_look.line);
        painter->setFont(m_look.font);
        painter->setPen(m_look.color(Role::Text));
        painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter, m_hidden);
        painter->setFont(m_look.small);
        painter->setPen(m_look.color(Role::QuietText));
        painter->drawText(text.translated(0, m_look.line), Qt::AlignLeft | Qt::AlignVCenter, m_below);
    }
}

} // namespace loopscope
