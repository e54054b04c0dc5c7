#include "views/network_graph/box_item.h"

#include "views/graph/level_of_detail.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {
constexpr double kRound = 5;
constexpr double kKindBar = 4;
} // namespace

BoxItem::BoxItem(const Theme &theme, NetworkPicturePtr picture, int number)
    : m_theme(theme), m_picture(std::move(picture)), m_number(number) {
    setPos(box().rect.topLeft());
}

QColor BoxItem::heatColor(const Theme &theme, double heat, bool wrong) {
    const QColor cold = theme.color(Role::Raised), hot = theme.color(wrong ? Role::Bad : Role::Series1);
    const auto mix = [share = static_cast<float>(0.62 * std::clamp(heat, 0.0, 1.0))](float a, float b) {
        return a + (b - a) * share;
    };
    return QColor::fromRgbF(mix(cold.redF(), hot.redF()), mix(cold.greenF(), hot.greenF()),
                            mix(cold.blueF(), hot.blueF()));
}

void BoxItem::setMarks(const BoxMarks &marks) {
    if (m_marks == marks) return;
    m_marks = marks;
    setZValue(marks.selected ? 1 : 0);
    update();
}

void BoxItem::setHeat(double heat) {
    m_heat = heat;
    update();
}

void BoxItem::setWrong(Wrong wrong) {
    m_wrong = wrong;
    update();
}

QPainterPath BoxItem::shape() const {
    QPainterPath shape;
    shape.addRect(body());
    return shape;
}

void BoxItem::prepare() {
    m_prepared = true;
    for (const BoxText &text : box().texts) {
        QStaticText prepared(text.text);
        prepared.setTextFormat(Qt::PlainText);
        prepared.setPerformanceHint(QStaticText::AggressiveCaching);
        prepared.prepare({}, text.bold ? m_picture->options.fonts.bold : m_picture->options.fonts.small);
        m_texts.push_back(std::move(prepared));
    }
}

void BoxItem::paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) {
    const double detail = levelOfDetail(*painter);
    const double opacity = painter->opacity();
    if (m_marks.faded) painter->setOpacity(opacity * 0.35);
    if (detail < kTextDetail) {
        paintFar(painter, detail);
    } else {
        if (!m_prepared) prepare();
        painter->setRenderHint(QPainter::Antialiasing);
        paintNear(painter);
    }
    paintFrame(painter, detail);
    painter->setOpacity(opacity);
}

/// A block of its colour; the operator while it can be read.
void BoxItem::paintFar(QPainter *painter, double detail) const {
    painter->setRenderHint(QPainter::Antialiasing, false);
    const Role role = boxColor(box().kind);
    if (m_heat >= 0) {
        painter->fillRect(body(), heatColor(m_theme, m_heat, m_wrong != Wrong::Not));
    } else {
        QColor ink = m_theme.color(role);
        ink.setAlphaF(detail < kLineDetail ? 0.55F : 0.22F);
        painter->fillRect(body(), m_theme.color(Role::Raised));
        painter->fillRect(body(), ink);
    }
    if (detail < kLineDetail) return;
    QFont large = m_picture->options.fonts.bold;
    // Ten pixels of the screen; steps, so that glyphs are drawn once.
    const double pixels = std::round(11.0 / (std::round(detail * 16) / 16));
    large.setPixelSize(static_cast<int>(std::min(pixels, body().height() * 0.6)));
    painter->setFont(large);
    painter->setPen(m_theme.color(Role::Text));
    const QRectF room = body().adjusted(kKindBar, 0, -kKindBar, 0);
    painter->drawText(room, Qt::AlignCenter,
                      QFontMetricsF(large).elidedText(box().title, Qt::ElideRight, room.width()));
}

void BoxItem::paintNear(QPainter *painter) const {
    if (box().fold >= 0) { // a pile
        painter->setPen(QPen(m_theme.color(Role::Border), 1));
        painter->setBrush(m_theme.color(Role::Raised));
        painter->drawRoundedRect(body().translated(3, 3), kRound, kRound);
    }
    QPainterPath outline;
    outline.addRoundedRect(body(), kRound, kRound);
    painter->fillPath(outline,
                      m_heat >= 0 ? heatColor(m_theme, m_heat, m_wrong != Wrong::Not) : m_theme.color(Role::Raised));
    painter->save();
    painter->setClipPath(outline, Qt::IntersectClip);
    painter->fillRect(QRectF(0, 0, kKindBar, body().height()), m_theme.color(boxColor(box().kind)));
    painter->restore();
    const NetworkFonts &fonts = m_picture->options.fonts;
    for (size_t i = 0; i < m_texts.size(); ++i) {
        const BoxText &text = box().texts[i];
        painter->setFont(text.bold ? fonts.bold : fonts.small);
        painter->setPen(m_theme.color(text.quiet && m_heat < 0.3 ? Role::QuietText : Role::Text));
        painter->drawStaticText(text.at, m_texts[i]);
    }
}

void BoxItem::paintFrame(QPainter *painter, double detail) const {
    const bool far = detail < kTextDetail;
    if (m_marks.match && !m_marks.selected) {
        painter->setPen(Qt::NoPen);
        QColor glow = m_theme.color(Role::Warning);
        glow.setAlphaF(far ? 0.55F : 0.18F);
        painter->setBrush(glow);
        painter->drawRoundedRect(body(), kRound, kRound);
    }
    QPen pen(m_theme.color(Role::Border), 1);
    if (m_wrong == Wrong::First) pen = QPen(m_theme.color(Role::Bad), 4);
    if (m_marks.match) pen = QPen(m_theme.color(Role::Warning), 2);
    if (m_marks.neighbour) pen = QPen(m_theme.color(Role::Accent), 1.2);
    if (m_marks.selected) pen = QPen(m_theme.color(Role::Accent), 2.5);
    if (far) pen.setCosmetic(true);
    const bool marked = m_marks.selected || m_marks.match || m_wrong == Wrong::First;
    if (far && !marked && detail < kLineDetail) return;
    painter->setPen(pen);
    painter->setBrush(Qt::NoBrush);
    if (far)
        painter->drawRect(body());
    else
        painter->drawRoundedRect(body().adjusted(0.5, 0.5, -0.5, -0.5), kRound, kRound);
}

} // namespace loopscope
