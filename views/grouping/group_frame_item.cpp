#include "views/grouping/group_frame_item.h"

#include "views/graph/level_of_detail.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopscope {

namespace {

constexpr double kFrameMargin = 12;
constexpr double kLine = 1.6;
constexpr double kRound = 9;
constexpr double kTabText = 8;

} // namespace

GroupFrameItem::GroupFrameItem(const Theme &theme, GroupFrame frame, const GroupingFonts &fonts)
    : m_theme(theme), m_frame(std::move(frame)) {
    setZValue(-3); // below the arrows
    for (const QRectF &box : m_frame.boxes) m_around |= box;
    m_around.adjust(-kFrameMargin, -kFrameMargin, kFrameMargin, kFrameMargin);
    QFont font = fonts.small;
    font.setBold(true);
    const QFontMetricsF metrics(font);
    // Where its uppermost stage is, so that an outline has it, too.
    const auto top = std::ranges::min_element(m_frame.boxes, {}, [](const QRectF &box) { return box.top(); });
    const QRectF first =
        m_frame.clear ? m_around : top->adjusted(-kFrameMargin, -kFrameMargin, kFrameMargin, kFrameMargin);
    const double width = std::min(metrics.horizontalAdvance(m_frame.title) + 2 * kTabText, first.width() - 8);
    m_tab = {first.left() + 6, first.top() - metrics.height() * 0.62, width, metrics.height() + 2};
    m_bounds = (m_around | m_tab).adjusted(-3, -3, 3, 3);
}

void GroupFrameItem::fill(QPainter *painter, const QColor &colour, double margin) const {
    painter->setPen(Qt::NoPen);
    painter->setBrush(colour);
    if (m_frame.clear) {
        const double less = kFrameMargin - margin;
        painter->drawRoundedRect(m_around.adjusted(less, less, -less, -less), kRound, kRound);
        return;
    }
    for (const QRectF &box : m_frame.boxes)
        painter->drawRoundedRect(box.adjusted(-margin, -margin, margin, margin), kRound, kRound);
    QPen pen(colour, 2 * margin, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(pen);
    for (const QPainterPath &way : m_frame.ways) painter->drawPath(way);
}

void GroupFrameItem::paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) {
    const double detail = levelOfDetail(*painter);
    const QColor ink = groupColour(m_theme, m_frame.colour);
    painter->setRenderHint(QPainter::Antialiasing);
    // The line is what the ground on top of it leaves to be seen; as wide as a pixel from far away.
    const double line = std::max(kLine, std::min(1.2 / detail, kFrameMargin * 0.6));
    fill(painter, ink, kFrameMargin);
    fill(painter, groupGround(m_theme, m_frame.colour), kFrameMargin - line);
}

GroupTabItem::GroupTabItem(const Theme &theme, const GroupFrameItem &frame, const GroupingFonts &fonts)
    : m_theme(theme), m_rect(frame.tab()), m_group(frame.frame().group), m_colour(frame.frame().colour),
      m_title(frame.frame().title), m_font(fonts.small) {
    setZValue(-0.5); // above the arrows, below the boxes
    m_font.setBold(true);
}

void GroupTabItem::paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) {
    if (levelOfDetail(*painter) < kTextDetail) return;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(groupColour(m_theme, m_colour), 1.2));
    painter->setBrush(groupGround(m_theme, m_colour));
    painter->drawRoundedRect(m_rect, 4, 4);
    painter->setPen(m_theme.color(Role::Text));
    painter->setFont(m_font);
    painter->drawText(m_rect, Qt::AlignCenter,
                      QFontMetricsF(m_font).elidedText(m_title, Qt::ElideRight, m_rect.width() - kTabText));
}

} // namespace loopscope
