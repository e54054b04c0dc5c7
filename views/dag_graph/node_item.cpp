#include "views/dag_graph/node_item.h"

#include "views/graph/level_of_detail.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr double kCorner = 5;
constexpr double kBar = 4; // of the kind, at the left edge
constexpr double kAddedGap = 3;
constexpr double kTextPadding = 10;
constexpr size_t kAddedShown = 2; // the others are counted

/// Text in the middle of a rectangle's height, `indent` from its left edge.
QPointF placeText(const QRectF &rect, const QFontMetricsF &metrics, double indent) {
    return {rect.left() + indent, rect.top() + (rect.height() - metrics.height()) / 2};
}

QStaticText staticText(const QString &text, const QFont &font) {
    QStaticText result(text);
    result.setTextFormat(Qt::PlainText);
    result.setPerformanceHint(QStaticText::AggressiveCaching);
    result.prepare({}, font);
    return result;
}

double signSize(const QFontMetricsF &metrics) { return std::round(metrics.ascent() * 0.7); }

} // namespace

void paintPlacementSign(QPainter &painter, PlacementKind kind, const QRectF &rect, const QColor &ink) {
    painter.save();
    painter.setPen(QPen(ink, 1.2, kind == PlacementKind::Inlined ? Qt::DotLine : Qt::SolidLine));
    painter.setBrush(kind == PlacementKind::Root ? QBrush(ink) : QBrush(Qt::NoBrush));
    painter.drawRect(rect);
    if (kind == PlacementKind::Attached)
        painter.fillRect(
            rect.adjusted(rect.width() * 0.3, rect.height() * 0.3, -rect.width() * 0.25, -rect.height() * 0.25), ink);
    painter.restore();
}

Role placementColor(PlacementKind kind, ScopeRank memory) {
    if (memory == ScopeRank::Shared) return Role::SharedMemory;
    if (memory == ScopeRank::Local) return Role::LocalMemory;
    switch (kind) {
    case PlacementKind::Root:
        return Role::Parallel;
    case PlacementKind::Inlined:
        return Role::QuietText;
    case PlacementKind::Attached:
        return Role::Vector;
    }
    return Role::QuietText;
}

NodeItem::NodeItem(const Theme &theme, DagPicturePtr picture, int number)
    : m_theme(theme), m_picture(std::move(picture)), m_number(number) {
    setPos(node().rect.topLeft());
}

StageKind NodeItem::kind() const { return m_picture->facts->stages[static_cast<size_t>(node().stages.back())].kind; }

const QFont &NodeItem::font(TextPiece::Font font) const {
    const NodeFonts &fonts = m_picture->options.fonts;
    switch (font) {
    case TextPiece::Font::Text:
        return fonts.text;
    case TextPiece::Font::Bold:
        return fonts.bold;
    case TextPiece::Font::Small:
        return fonts.small;
    case TextPiece::Font::Code:
        return fonts.code;
    }
    return fonts.text;
}

// --- What it says
// -----------------------------------------------------------------------------------------------------

void NodeItem::setPlacements(const std::map<QString, Placement> &placements) {
    QStringList texts;
    std::map<PlacementKind, int> counts;
    m_added.clear();
    m_placed = false;
    for (const int stage : node().stages) {
        const auto found = placements.find(m_picture->facts->stages[static_cast<size_t>(stage)].name);
        if (found == placements.end()) continue;
        m_placed = true;
        m_placementKind = found->second.kind;
        m_memory = node().stages.size() == 1 ? found->second.memory : ScopeRank::Global;
        ++counts[found->second.kind];
        texts << found->second.text;
        m_added.insert(m_added.end(), found->second.added.begin(), found->second.added.end());
    }
    if (texts.size() > 1) {
        const auto count = [&counts](PlacementKind kind, const char *word) {
            const int number = counts[kind];
            return number > 0 ? QStringLiteral("%1 %2").arg(number).arg(QLatin1String(word)) : QString();
        };
        QStringList parts{count(PlacementKind::Inlined, "inlined"), count(PlacementKind::Attached, "attached"),
                          count(PlacementKind::Root, "at root")};
        parts.removeAll(QString());
        texts = {parts.join(QStringLiteral(" · "))};
    }
    m_placement = texts.join(QString());
    m_placementPrepared = false;
    update();
}

void NodeItem::setMarks(const NodeMarks &marks) {
    if (m_marks == marks) return;
    m_marks = marks;
    setZValue(marks.selected ? 1 : 0);
    update();
}

std::vector<QRectF> NodeItem::addedRects() const {
    std::vector<QRectF> rects;
    const size_t shown = std::min(m_added.size(), kAddedShown);
    if (shown == 0) return rects;
    const QRectF line(kBar, body().bottom() + kAddedGap, body().width() - kBar,
                      addedStageHeight(m_picture->options.fonts) - kAddedGap);
    const double width = (line.width() - kAddedGap * static_cast<double>(shown - 1)) / static_cast<double>(shown);
    for (size_t i = 0; i < shown; ++i)
        rects.emplace_back(line.left() + static_cast<double>(i) * (width + kAddedGap), line.top(), width,
                           line.height());
    return rects;
}

int NodeItem::axisAt(QPointF point) const {
    for (const PillPiece &pill : node().box.pills)
        if (pill.axis >= 0 && pill.rect.contains(point)) return pill.axis;
    return -1;
}

QString NodeItem::addedAt(QPointF point) const {
    const auto rects = addedRects();
    for (size_t i = 0; i < rects.size(); ++i)
        if (rects[i].contains(point)) return m_added[i].name;
    return {};
}

QRectF NodeItem::boundingRect() const {
    return body().adjusted(-3, -3, 3, 3 + addedStageHeight(m_picture->options.fonts));
}

QPainterPath NodeItem::shape() const {
    QPainterPath shape;
    shape.addRect(body());
    for (const QRectF &rect : addedRects()) shape.addRect(rect);
    return shape;
}

// --- How it looks
// -----------------------------------------------------------------------------------------------------

void NodeItem::prepareTexts() {
    m_prepared = true;
    m_texts.clear();
    m_pills.clear();
    for (const TextPiece &piece : node().box.texts)
        m_texts.push_back({staticText(piece.text, font(piece.font)), piece.rect.topLeft()});
    const QFontMetricsF metrics(m_picture->options.fonts.small);
    for (const PillPiece &pill : node().box.pills) {
        const double room = pill.rect.width() - metrics.horizontalAdvance(pill.text);
        m_pills.push_back(
            {staticText(pill.text, m_picture->options.fonts.small), placeText(pill.rect, metrics, room / 2)});
    }
}

void NodeItem::preparePlacement() {
    m_placementPrepared = true;
    m_addedTexts.clear();
    const QFont &small = m_picture->options.fonts.small;
    const QFontMetricsF metrics(small);
    const QRectF strip = node().box.strip;
    const double sign = signSize(metrics) + 6;
    m_strip = {
        staticText(metrics.elidedText(m_placement, Qt::ElideRight, strip.width() - 2 * kTextPadding - sign), small),
        placeText(strip, metrics, kTextPadding + sign)};
    const auto rects = addedRects();
    for (size_t i = 0; i < rects.size(); ++i) {
        QString text = m_added[i].text;
        if (i + 1 == rects.size() && m_added.size() > rects.size())
            text = QStringLiteral("+%1 · %2").arg(m_added.size() - rects.size()).arg(text);
        m_addedTexts.push_back(
            {staticText(metrics.elidedText(text, Qt::ElideRight, rects[i].width() - 12 - sign), small),
             placeText(rects[i], metrics, 6 + sign)});
    }
}

void NodeItem::paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) {
    const double detail = levelOfDetail(*painter);
    const double opacity = painter->opacity();
    if (m_marks.faded) painter->setOpacity(opacity * 0.35);
    if (detail < kTextDetail) {
        paintFar(painter, detail);
    } else {
        if (!m_prepared) prepareTexts();
        if (!m_placementPrepared) preparePlacement();
        painter->setRenderHint(QPainter::Antialiasing);
        paintBody(painter);
        paintPills(painter);
        paintStrip(painter);
        paintAdded(painter);
    }
    paintFrame(painter, detail);
    painter->setOpacity(opacity);
}

/// From far away: a block of its kind's colour; the name alone while it can be read.
void NodeItem::paintFar(QPainter *painter, double detail) const {
    painter->setRenderHint(QPainter::Antialiasing, false);
    const QColor kindInk = m_theme.color(kindColor(kind()));
    painter->fillRect(body(), m_theme.tint(kindColor(kind())));
    painter->fillRect(QRectF(0, 0, detail < kLineDetail ? body().width() * 0.12 : 2 * kBar, body().height()), kindInk);
    if (detail < kLineDetail) {
        QColor ink = kindInk;
        ink.setAlphaF(0.55F);
        painter->fillRect(body(), ink);
        return;
    }
    const TextPiece &name = node().box.texts.front();
    QFont large = m_picture->options.fonts.bold;
    // Ten pixels of the screen; steps, so that glyphs are drawn once.
    const double pixels = std::round(11.0 / (std::round(detail * 16) / 16));
    large.setPixelSize(static_cast<int>(std::min(pixels, body().height() * 0.55)));
    painter->setFont(large);
    painter->setPen(m_theme.color(Role::Text));
    const QRectF room = body().adjusted(3 * kBar, 0, -kBar, 0);
    painter->drawText(room, Qt::AlignCenter, QFontMetricsF(large).elidedText(name.text, Qt::ElideRight, room.width()));
}

void NodeItem::paintBody(QPainter *painter) const {
    const QColor kindInk = m_theme.color(kindColor(kind()));
    QPainterPath outline;
    outline.addRoundedRect(body(), kCorner, kCorner);
    if (node().folded) { // a pile
        painter->setPen(QPen(m_theme.color(Role::Border), 1));
        painter->setBrush(m_theme.color(Role::Raised));
        painter->drawRoundedRect(body().translated(3, 3), kCorner, kCorner);
    }
    painter->fillPath(outline, m_theme.color(Role::Raised));
    painter->save();
    painter->setClipPath(outline, Qt::IntersectClip);
    painter->fillRect(QRectF(0, 0, kBar, body().height()), kindInk);
    if (m_placed && !node().box.strip.isEmpty())
        painter->fillRect(node().box.strip.adjusted(kBar, 0, 0, 0),
                          m_theme.tint(placementColor(m_placementKind, m_memory)));
    painter->restore();
    for (size_t i = 0; i < m_texts.size(); ++i) {
        const TextPiece &piece = node().box.texts[i];
        painter->setFont(font(piece.font));
        painter->setPen(m_theme.color(piece.color));
        painter->drawStaticText(m_texts[i].at, m_texts[i].text);
    }
}

void NodeItem::paintPills(QPainter *painter) const {
    painter->setFont(m_picture->options.fonts.small);
    for (size_t i = 0; i < m_pills.size(); ++i) {
        const PillPiece &pill = node().box.pills[i];
        const bool chosen = pill.axis >= 0 && m_marks.axes.contains(pill.axis);
        painter->setPen(Qt::NoPen);
        painter->setBrush(chosen ? m_theme.color(Role::Accent) : m_theme.tint(pill.color));
        painter->drawRoundedRect(pill.rect, 3, 3);
        // An axis is a name and a number; its ground alone tells what kind it is.
        const Role ink = chosen ? Role::AccentText : pill.color == Role::Serial ? Role::Text : pill.color;
        painter->setPen(m_theme.color(ink));
        painter->drawStaticText(m_pills[i].at, m_pills[i].text);
    }
    if (node().box.divider >= 0) {
        const QRectF row = node().box.dividerRow;
        painter->setPen(QPen(m_theme.color(Role::Border), 1));
        painter->drawLine(QPointF(node().box.divider, row.top() + 1), QPointF(node().box.divider, row.bottom() - 1));
    }
}

void NodeItem::paintStrip(QPainter *painter) const {
    if (!m_placed || node().box.strip.isEmpty()) return;
    const QFontMetricsF metrics(m_picture->options.fonts.small);
    const double size = signSize(metrics);
    const QColor ink = m_theme.color(placementColor(m_placementKind, m_memory));
    const QRectF strip = node().box.strip;
    if (node().stages.size() == 1)
        paintPlacementSign(*painter, m_placementKind, {kTextPadding + 0.5, strip.center().y() - size / 2, size, size},
                           ink);
    painter->setFont(m_picture->options.fonts.small);
    painter->setPen(m_theme.color(Role::Text));
    QPointF at = m_strip.at;
    if (node().stages.size() > 1) at.setX(kTextPadding);
    painter->drawStaticText(at, m_strip.text);
}

void NodeItem::paintAdded(QPainter *painter) const {
    const auto rects = addedRects();
    const QFontMetricsF metrics(m_picture->options.fonts.small);
    const double size = signSize(metrics);
    for (size_t i = 0; i < rects.size(); ++i) {
        const QColor ink = m_theme.color(placementColor(m_added[i].kind, m_added[i].memory));
        const bool chosen = m_marks.added == m_added[i].name;
        painter->setPen(
            QPen(chosen ? m_theme.color(Role::Accent) : ink, chosen ? 2 : 1, chosen ? Qt::SolidLine : Qt::DashLine));
        painter->setBrush(m_theme.color(Role::Raised));
        painter->drawRoundedRect(rects[i].adjusted(0.5, 0.5, -0.5, -0.5), kCorner, kCorner);
        paintPlacementSign(*painter, m_added[i].kind,
                           {rects[i].left() + 6.5, rects[i].center().y() - size / 2, size, size}, ink);
        painter->setFont(m_picture->options.fonts.small);
        painter->setPen(m_theme.color(Role::Text));
        painter->drawStaticText(m_addedTexts[i].at, m_addedTexts[i].text);
    }
}

void NodeItem::paintFrame(QPainter *painter, double detail) const {
    const bool far = detail < kTextDetail;
    if (m_marks.match && !m_marks.selected) {
        painter->setPen(Qt::NoPen);
        QColor glow = m_theme.color(Role::Warning);
        glow.setAlphaF(far ? 0.55F : 0.18F);
        painter->setBrush(glow);
        painter->drawRoundedRect(body(), kCorner, kCorner);
    }
    QPen pen(m_theme.color(Role::Border), 1);
    if (m_placed && m_placementKind == PlacementKind::Inlined && node().stages.size() == 1) {
        pen.setColor(m_theme.color(Role::QuietText));
        pen.setStyle(Qt::DashLine);
    }
    if (m_marks.match) pen = QPen(m_theme.color(Role::Warning), 2);
    if (m_marks.neighbour) pen = QPen(m_theme.color(Role::Accent), 1.2);
    if (m_marks.selected) pen = QPen(m_theme.color(Role::Accent), 2.5);
    if (far) pen.setCosmetic(true);
    if (far && !m_marks.selected && !m_marks.match && detail < kLineDetail) return;
    painter->setPen(pen);
    painter->setBrush(Qt::NoBrush);
    if (far)
        painter->drawRect(body());
    else
        painter->drawRoundedRect(body().adjusted(0.5, 0.5, -0.5, -0.5), kCorner, kCorner);
}

} // namespace loopscope
