#include "views/grouping/stage_item.h"

#include "views/graph/level_of_detail.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr double kCorner = 5;
constexpr double kStageBar = 5; // of the group's colour, at the left edge
constexpr double kTextLeft = 11;

QColor mixed(const QColor &a, const QColor &b, double share) {
    const auto part = [&](float x, float y) { return static_cast<float>(x * (1 - share) + y * share); };
    return QColor::fromRgbF(part(a.redF(), b.redF()), part(a.greenF(), b.greenF()), part(a.blueF(), b.blueF()));
}

} // namespace

QColor groupColour(const Theme &theme, int colour) { return theme.series(colour); }

QColor groupGround(const Theme &theme, int colour) {
    return mixed(theme.color(Role::Base), theme.series(colour), theme.dark() ? 0.20 : 0.14);
}

StageItem::StageItem(const Theme &theme, const GroupingBox &box, const GroupingFonts &fonts)
    : m_theme(theme), m_box(box), m_fonts(fonts) {
    setPos(box.rect.topLeft());
}

void StageItem::setLook(const GroupedStageLook &look) {
    if (m_look == look) return;
    m_look = look;
    update();
}

void StageItem::setMarks(bool selected, bool named, bool faded) {
    if (selected == m_selected && named == m_named && faded == m_faded) return;
    m_selected = selected;
    m_named = named;
    m_faded = faded;
    setZValue(selected ? 1 : 0);
    update();
}

bool StageItem::withoutLoops() const {
    return m_look.role == StageRole::Inlined || m_look.role == StageRole::InlinedEarly;
}

QRectF StageItem::boundingRect() const { return body().adjusted(-4, -4, 4, 4); }

void StageItem::paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) {
    const double detail = levelOfDetail(*painter);
    const double opacity = painter->opacity();
    if (m_faded) painter->setOpacity(opacity * 0.3);
    painter->setRenderHint(QPainter::Antialiasing, detail >= kLineDetail);
    paintGround(painter, detail);
    if (detail < kTextDetail)
        paintFar(painter, detail);
    else
        paintTexts(painter);
    painter->setOpacity(opacity);
}

void StageItem::paintGround(QPainter *painter, double detail) const {
    const bool far = detail < kTextDetail;
    QPen pen(m_theme.color(Role::Border), 1);
    if (m_look.role == StageRole::Root)
        pen = QPen(
            m_look.colours.empty() ? m_theme.color(Role::QuietText) : groupColour(m_theme, m_look.colours.front()), 2);
    if (withoutLoops()) pen = QPen(m_theme.color(Role::QuietText), 1, Qt::DashLine);
    if (m_named) pen = QPen(m_theme.color(Role::Warning), 2.5);
    if (m_selected) pen = QPen(m_theme.color(Role::Accent), 2.5);
    pen.setCosmetic(far);
    painter->setPen(pen);
    const bool plain = !m_look.role || withoutLoops();
    painter->setBrush(m_theme.color(plain ? Role::Base : Role::Raised));
    const double corner = m_look.role ? kCorner : m_box.size.height() / 2;
    painter->drawRoundedRect(body().adjusted(0.5, 0.5, -0.5, -0.5), corner, corner);
    if (m_look.colours.empty()) return;
    // A stripe of each of its groups.
    const auto stripes = static_cast<double>(m_look.colours.size());
    const double height = (m_box.size.height() - 8) / stripes;
    for (size_t i = 0; i < m_look.colours.size(); ++i)
        painter->fillRect(QRectF(2, 4 + static_cast<double>(i) * height, kStageBar, height),
                          groupColour(m_theme, m_look.colours[i]));
}

void StageItem::paintTexts(QPainter *painter) const {
    const QFontMetricsF name(m_fonts.name), small(m_fonts.small);
    const double room = m_box.size.width() - kTextLeft - 5;
    const auto line = [&](const QFont &font, const QFontMetricsF &metrics, Role role, double y, const QString &text) {
        painter->setFont(font);
        painter->setPen(m_theme.color(role));
        painter->drawText(QPointF(kTextLeft, y + metrics.ascent()), metrics.elidedText(text, Qt::ElideRight, room));
    };
    if (!m_look.role) {
        painter->setFont(m_fonts.name);
        painter->setPen(m_theme.color(Role::QuietText));
        painter->drawText(body(), Qt::AlignCenter,
                          name.elidedText(m_box.name, Qt::ElideMiddle, m_box.size.width() - 12));
        return;
    }
    double y = 5;
    if (m_look.where.isEmpty() || withoutLoops()) y += small.height() / 2; // two lines in the middle
    line(m_fonts.name, name, withoutLoops() ? Role::QuietText : Role::Text, y,
         name.elidedText(m_box.name, Qt::ElideMiddle, room));
    y += name.height() + 1;
    line(m_fonts.small, small, withoutLoops() ? Role::QuietText : Role::Text, y, m_look.where);
    y += small.height();
    line(m_fonts.small, small, Role::QuietText, y, m_look.loops);
}

/// From far away the name alone, as large as it fits.
void StageItem::paintFar(QPainter *painter, double detail) const {
    if (detail < kLineDetail * 0.6) return;
    QFont large = m_fonts.name;
    const double pixels = std::round(11.0 / (std::round(detail * 16 + 0.5) / 16));
    large.setPixelSize(std::max(6, static_cast<int>(std::min(pixels, m_box.size.height() * 0.7))));
    painter->setFont(large);
    painter->setPen(m_theme.color(withoutLoops() || !m_look.role ? Role::QuietText : Role::Text));
    const QRectF room = body().adjusted(kTextLeft, 0, -3, 0);
    painter->drawText(room, Qt::AlignCenter,
                      QFontMetricsF(large).elidedText(m_box.name, Qt::ElideMiddle, room.width()));
}

} // namespace loopscope
