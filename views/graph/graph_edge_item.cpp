#include "views/graph/graph_edge_item.h"

#include "views/graph/level_of_detail.h"

#include <QFontMetricsF>
#include <QPen>

#include <cmath>

namespace loopscope {

namespace {

constexpr double kHeadLength = 9;
constexpr double kHeadWidth = 7;
constexpr double kLabelPadding = 4;

/// The label's lines, each no wider than `widest`.
QStringList shortened(const QString &text, const QFontMetricsF &metrics, double widest) {
    QStringList lines;
    for (const QString &line : text.split(u'\n')) lines << metrics.elidedText(line, Qt::ElideRight, widest);
    return lines;
}

QPolygonF arrowHead(const QPainterPath &path) {
    const double length = path.length();
    if (length < 1) return {};
    const QPointF tip = path.currentPosition();
    const QPointF back = path.pointAtPercent(path.percentAtLength(std::max(0.0, length - kHeadLength)));
    const QPointF along = tip - back;
    const double size = std::hypot(along.x(), along.y());
    if (size < 1e-6) return {};
    const QPointF side = QPointF(-along.y(), along.x()) / size * (kHeadWidth / 2);
    const QPointF base = tip - along / size * std::min(kHeadLength, length);
    return QPolygonF{tip, base + side, base - side};
}

} // namespace

GraphEdgeItem::GraphEdgeItem(const Theme &theme, QPainterPath path, const EdgeStyle &style, QGraphicsItem *parent)
    : QGraphicsItem(parent), m_theme(theme), m_path(std::move(path)), m_head(arrowHead(m_path)), m_style(style) {
    setZValue(-1); // nodes lie above
    updateBounds();
}

QSizeF GraphEdgeItem::labelSize(const QString &text, const QFont &font, double widest) {
    if (text.isEmpty()) return {};
    const QFontMetricsF metrics(font);
    const QStringList lines = shortened(text, metrics, widest);
    double width = 0;
    for (const QString &line : lines) width = std::max(width, metrics.horizontalAdvance(line));
    return {std::ceil(width) + 2 * kLabelPadding,
            std::ceil(metrics.lineSpacing() * static_cast<double>(lines.size())) + kLabelPadding};
}

void GraphEdgeItem::setLabel(const QString &text, const QFont &font, QPointF centre, double widest) {
    prepareGeometryChange();
    m_text = text;
    m_font = font;
    m_lines.clear();
    for (const QString &line : text.isEmpty() ? QStringList() : shortened(text, QFontMetricsF(font), widest)) {
        m_lines.emplace_back(line);
        m_lines.back().setTextFormat(Qt::PlainText);
        m_lines.back().prepare({}, font);
    }
    const QSizeF size = labelSize(text, font, widest);
    m_labelRect = text.isEmpty() ? QRectF() : QRectF(centre - QPointF(size.width() / 2, size.height() / 2), size);
    updateBounds();
}

void GraphEdgeItem::setEmphasis(Emphasis emphasis) {
    if (m_emphasis == emphasis) return;
    m_emphasis = emphasis;
    setZValue(emphasis == Emphasis::Strong ? -0.5 : -1);
    update();
}

QPainterPath GraphEdgeItem::shape() const {
    QPainterPathStroker stroker;
    stroker.setWidth(8);
    QPainterPath shape = stroker.createStroke(m_path);
    if (!m_labelRect.isEmpty()) shape.addRect(m_labelRect);
    return shape;
}

void GraphEdgeItem::paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) {
    const double detail = levelOfDetail(*painter);
    QColor ink = m_theme.color(m_emphasis == Emphasis::Strong ? Role::Accent : m_style.color);
    if (m_emphasis == Emphasis::Faded) ink.setAlphaF(0.35F);
    QPen pen(ink, m_style.width * (m_emphasis == Emphasis::Strong ? 1.9 : 1));
    if (detail < kTextDetail) {
        // Seen from far away a line keeps one pixel.
        pen.setCosmetic(true);
        pen.setWidthF(m_emphasis == Emphasis::Strong ? 2 : 1);
    }
    if (m_style.dashed && detail >= kLineDetail) pen.setStyle(Qt::DashLine);
    painter->setRenderHint(QPainter::Antialiasing, detail >= kLineDetail);
    painter->setPen(pen);
    painter->setBrush(Qt::NoBrush);
    painter->drawPath(m_path);
    if (detail >= kLineDetail && !m_head.isEmpty()) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(ink);
        painter->drawPolygon(m_head);
    }
    if (detail >= kTextDetail && !m_labelRect.isEmpty()) paintLabel(painter, ink);
}

void GraphEdgeItem::paintLabel(QPainter *painter, const QColor &ink) const {
    painter->setPen(Qt::NoPen);
    QColor ground = m_theme.color(Role::Base);
    ground.setAlphaF(0.85F);
    painter->setBrush(ground);
    // The line runs along the label's edge and is not to be cut.
    painter->drawRoundedRect(m_labelRect.adjusted(3, 1, -1, -1), 3, 3);
    painter->setPen(m_emphasis == Emphasis::Normal ? m_theme.color(Role::QuietText) : ink);
    painter->setFont(m_font);
    QPointF at = m_labelRect.topLeft() + QPointF(kLabelPadding, kLabelPadding / 2);
    for (const QStaticText &line : m_lines) {
        painter->drawStaticText(at, line);
        at.ry() += (m_labelRect.height() - kLabelPadding) / static_cast<double>(m_lines.size());
    }
}

void GraphEdgeItem::updateBounds() {
    const double margin = std::max(kHeadWidth, 2 * m_style.width);
    m_bounds = m_path.controlPointRect().adjusted(-margin, -margin, margin, margin) | m_labelRect;
}

} // namespace loopscope
