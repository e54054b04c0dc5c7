#include "views/network_memory/block_item.h"

#include "views/graph/level_of_detail.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace loopscope {

namespace {
constexpr double kAxisGap = 8;
} // namespace

void BlockItem::setSelected(bool selected) {
    if (m_selected == selected) return;
    m_selected = selected;
    setZValue(selected ? 2 : 0);
    update();
}

void BlockItem::setHovered(bool hovered) {
    m_hovered = hovered;
    update();
}

QPainterPath BlockItem::shape() const {
    QPainterPath path;
    path.addRect(m_block.rect);
    return path;
}

void BlockItem::paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) {
    painter->setRenderHint(QPainter::Antialiasing, false);
    const QColor ink = m_theme.series(m_number);
    QColor ground = ink;
    ground.setAlphaF(m_selected || m_hovered ? 0.85F : m_block.taken ? 0.75F : 0.45F);
    painter->fillRect(m_block.rect, m_theme.color(Role::Base));
    painter->fillRect(m_block.rect, ground);
    QPen pen(m_selected ? m_theme.color(Role::Accent) : ink, m_selected ? 2.5 : 1);
    pen.setCosmetic(true);
    if (m_block.taken) pen.setStyle(Qt::DashLine);
    painter->setPen(pen);
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(m_block.rect);
    const QFontMetricsF metrics(m_font);
    if (levelOfDetail(*painter) < kTextDetail || m_block.rect.height() < metrics.height() ||
        m_block.rect.width() < std::min(metrics.horizontalAdvance(m_block.name) + 6, metrics.averageCharWidth() * 10))
        return;
    painter->setFont(m_font);
    painter->setPen(m_theme.color(Role::Text));
    painter->drawText(m_block.rect.adjusted(3, 0, -3, 0), Qt::AlignCenter,
                      metrics.elidedText(m_block.name, Qt::ElideMiddle, m_block.rect.width() - 6));
}

ArenaItem::ArenaItem(const Theme &theme, const MemoryBlocks &picture, const QFont &font)
    : m_theme(theme), m_picture(picture), m_font(font) {
    setZValue(-1);
    const QFontMetricsF metrics(font);
    double left = 0;
    for (const QString &text : picture.levelTexts) left = std::max(left, metrics.horizontalAdvance(text));
    m_bounds = picture.arena.adjusted(-left - 2 * kAxisGap, -metrics.height(), kAxisGap, 2.5 * metrics.height());
}

void ArenaItem::paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) {
    painter->setFont(m_font);
    const QFontMetricsF metrics(m_font);
    QPen rule(m_theme.color(Role::Grid), 1);
    rule.setCosmetic(true);
    for (size_t i = 0; i < m_picture.levels.size(); ++i) {
        const double y = m_picture.levels[i];
        painter->setPen(rule);
        painter->drawLine(QPointF(m_picture.arena.left(), y), QPointF(m_picture.arena.right(), y));
        painter->setPen(m_theme.color(Role::QuietText));
        painter->drawText(
            QRectF(m_bounds.left(), y - metrics.height() / 2, -kAxisGap - m_bounds.left(), metrics.height()),
            Qt::AlignRight | Qt::AlignVCenter, m_picture.levelTexts[i]);
    }
    painter->setPen(QPen(m_theme.color(Role::Border), 1));
    painter->drawRect(m_picture.arena);
    painter->setPen(m_theme.color(Role::QuietText));
    const QRectF below(m_picture.arena.left(), m_picture.arena.bottom() + 4, m_picture.arena.width(),
                       metrics.height() + 4);
    painter->drawText(below, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("first kernel"));
    painter->drawText(below, Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("last kernel"));
}

} // namespace loopscope
