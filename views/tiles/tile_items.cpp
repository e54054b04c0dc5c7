#include "views/tiles/tile_items.h"

#include "views/graph/level_of_detail.h"

#include <QApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr double kLongest = 260; // side of the cells
constexpr double kShortest = 26; // other side of what is long and thin
constexpr double kLargestCell = 34;
constexpr double kWidestText = 300;
constexpr double kGap = 3;
constexpr double kBar = 16;   // height of a strip
constexpr int64_t kWarp = 32; // threads that go together: one colour
constexpr double kFinest = 3; // pixels between lines worth drawing
constexpr double kFinestStrong = 7;
constexpr int64_t kMaxSteps = 512;

QColor mix(const QColor &from, const QColor &to, float share) {
    const auto part = [share](float a, float b) { return a + (b - a) * share; };
    return QColor::fromRgbF(part(from.redF(), to.redF()), part(from.greenF(), to.greenF()),
                            part(from.blueF(), to.blueF()));
}

QSizeF cellsSize(const TileWindow &window) {
    const auto width = static_cast<double>(std::max<int64_t>(1, window.width));
    const auto height = static_cast<double>(std::max<int64_t>(1, window.height));
    const double scale = std::min(kLongest / std::max(width, height), kLargestCell);
    const QSizeF size(width * scale, height * scale);
    return {std::max(size.width(), std::min(kShortest, kLongest)), std::max(size.height(), kShortest)};
}

QString rangeText(const QString &axis, int64_t first, int64_t count) {
    return count == 1 ? QStringLiteral("%1 %2").arg(axis).arg(first)
                      : QStringLiteral("%1 %2\u2026%3").arg(axis).arg(first).arg(first + count - 1);
}

QString footerText(const TilePanel &panel) {
    QString text;
    if (!panel.rowAxis.isEmpty())
        text = QStringLiteral("\u2193 ") + rangeText(panel.rowAxis, panel.window.row, panel.window.height) +
               QStringLiteral("   ");
    if (!panel.columnAxis.isEmpty())
        text += QStringLiteral("\u2192 ") + rangeText(panel.columnAxis, panel.window.column, panel.window.width);
    return text;
}

} // namespace

TileFonts tileFonts() {
    TileFonts fonts{QApplication::font(), QApplication::font()};
    fonts.bold.setBold(true);
    if (fonts.small.pointSizeF() > 0) fonts.small.setPointSizeF(std::max(6.0, fonts.small.pointSizeF() - 1));
    return fonts;
}

// --- A panel
// ---------------------------------------------------------------------------------------------------------

TilePanelItem::TilePanelItem(const Theme &theme, TilePanel panel, int number)
    : m_theme(theme), m_panel(std::move(panel)), m_number(number), m_fonts(tileFonts()) {
    const QFontMetricsF bold(m_fonts.bold), small(m_fonts.small);
    const QSizeF cells = cellsSize(m_panel.window);
    double text = std::max(bold.horizontalAdvance(m_panel.title), small.horizontalAdvance(footerText(m_panel)));
    const QStringList words = m_panel.subtitle.split(u'\n');
    for (const QString &line : words) text = std::max(text, small.horizontalAdvance(line));
    const double top = bold.height() + static_cast<double>(words.size()) * small.height() + 2 * kGap;
    m_cells = QRectF(QPointF(0, top), cells);
    m_size = {std::max(cells.width(), std::min(text + 2, kWidestText)), top + cells.height() + kGap + small.height()};
    setFlag(ItemUsesExtendedStyleOption);
}

QRectF TilePanelItem::rectOf(const TileWindow &place) const {
    const double x = m_cells.width() / static_cast<double>(m_panel.window.width);
    const double y = m_cells.height() / static_cast<double>(m_panel.window.height);
    return {m_cells.left() + static_cast<double>(place.column - m_panel.window.column) * x,
            m_cells.top() + static_cast<double>(place.row - m_panel.window.row) * y,
            static_cast<double>(place.width) * x, static_cast<double>(place.height) * y};
}

QRectF TilePanelItem::entered() const {
    const int64_t row = m_panel.plane.rows >= 0 ? m_panel.plane.through[static_cast<size_t>(m_panel.plane.rows)] : 0;
    const int64_t column =
        m_panel.plane.through.empty() ? 0 : m_panel.plane.through[static_cast<size_t>(m_panel.plane.columns)];
    for (const TilePart &part : m_panel.parts.parts)
        if (part.number == m_panel.marked && row >= part.place.row && row < part.place.row + part.place.height &&
            column >= part.place.column && column < part.place.column + part.place.width)
            return rectOf(part.place);
    return {};
}

std::optional<std::pair<int64_t, int64_t>> TilePanelItem::placeAt(QPointF point) const {
    if (!m_cells.contains(point)) return std::nullopt;
    const auto index = [](double share, int64_t extent) {
        return std::clamp<int64_t>(static_cast<int64_t>(share * static_cast<double>(extent)), 0, extent - 1);
    };
    return std::pair(m_panel.window.row + index((point.y() - m_cells.top()) / m_cells.height(), m_panel.window.height),
                     m_panel.window.column +
                         index((point.x() - m_cells.left()) / m_cells.width(), m_panel.window.width));
}

void TilePanelItem::setSelected(bool selected) {
    if (m_selected == selected) return;
    m_selected = selected;
    update();
}

QRectF TilePanelItem::boundingRect() const { return QRectF(QPointF(), m_size).adjusted(-4, -4, 4, 4); }

bool TilePanelItem::isMarked(int64_t number) const {
    if (m_panel.marked < 0) return false;
    if (m_panel.look == TilePanel::Look::ByVirtualThread) // one thread, whichever virtual thread it does
        return number % m_panel.threads == m_panel.marked % m_panel.threads;
    return number == m_panel.marked;
}

QColor TilePanelItem::colorOf(int64_t number) const {
    if (isMarked(number)) {
        const bool thread = m_panel.look != TilePanel::Look::Plain;
        return m_theme.color(thread ? Role::ThreadBound : m_panel.role);
    }
    QColor full = m_theme.color(m_panel.role);
    int64_t order = number;
    if (m_panel.look == TilePanel::Look::ByVirtualThread) {
        const int64_t virtualThread = number / std::max<int64_t>(1, m_panel.threads);
        if (virtualThread > 0 || !m_panel.strong.rows.empty())
            full = m_theme.series(static_cast<int>(virtualThread % 6));
        order = number % std::max<int64_t>(1, m_panel.threads);
    } else if (m_panel.look == TilePanel::Look::ByThread) {
        full = m_theme.series(static_cast<int>(number / kWarp % 6));
    }
    const float share = (order % 2 == 0 ? 0.34F : 0.20F) + (m_theme.dark() ? 0.10F : 0.0F);
    return mix(m_theme.color(Role::Base), full, share);
}

void TilePanelItem::paintParts(QPainter *painter, double detail) const {
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->setPen(Qt::NoPen);
    for (const TilePart &part : m_panel.parts.parts) painter->fillRect(rectOf(part.place), colorOf(part.number));
    const QRectF first = m_panel.parts.parts.empty() ? QRectF() : rectOf(m_panel.parts.parts.front().place);
    if (std::min(first.width(), first.height()) * detail < kFinest) return;
    QPen line(m_theme.color(Role::Base), 1);
    line.setCosmetic(true);
    painter->setPen(line);
    painter->setBrush(Qt::NoBrush);
    for (const TilePart &part : m_panel.parts.parts) painter->drawRect(rectOf(part.place));
}

void TilePanelItem::paintCuts(QPainter *painter, const TileCuts &cuts, const QPen &pen, double detail,
                              double finest) const {
    if (!cuts.straight) return;
    painter->setPen(pen);
    const auto lines = [&](const std::vector<int64_t> &starts, double from, double length, double extent, int64_t first,
                           bool across) {
        double before = from;
        for (size_t i = 1; i < starts.size(); ++i) {
            const double at = from + static_cast<double>(starts[i] - first) * length / extent;
            if ((at - before) * detail < finest) continue; // too many to tell apart
            before = at;
            if (across)
                painter->drawLine(QPointF(m_cells.left(), at), QPointF(m_cells.right(), at));
            else
                painter->drawLine(QPointF(at, m_cells.top()), QPointF(at, m_cells.bottom()));
        }
    };
    lines(cuts.rows, m_cells.top(), m_cells.height(), static_cast<double>(m_panel.window.height), m_panel.window.row,
          true);
    lines(cuts.columns, m_cells.left(), m_cells.width(), static_cast<double>(m_panel.window.width),
          m_panel.window.column, false);
}

void TilePanelItem::paintTexts(QPainter *painter) const {
    const QFontMetricsF bold(m_fonts.bold), small(m_fonts.small);
    const double width = std::max(m_size.width(), m_cells.width());
    painter->setFont(m_fonts.bold);
    painter->setPen(m_theme.color(Role::Text));
    painter->drawText(QPointF(0, bold.ascent()), bold.elidedText(m_panel.title, Qt::ElideRight, width));
    painter->setFont(m_fonts.small);
    painter->setPen(m_theme.color(Role::QuietText));
    double y = bold.height() + small.ascent();
    for (const QString &line : m_panel.subtitle.split(u'\n')) {
        painter->drawText(QPointF(0, y), small.elidedText(line, Qt::ElideRight, width));
        y += small.height();
    }
    painter->drawText(QPointF(0, m_cells.bottom() + kGap + small.ascent()),
                      small.elidedText(footerText(m_panel), Qt::ElideRight, width));
}

void TilePanelItem::paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) {
    const double detail = levelOfDetail(*painter);
    painter->fillRect(m_cells, m_theme.tint(m_panel.role));
    if (m_panel.parts.parts.empty()) {
        QPen fine(m_theme.color(m_panel.role), 1);
        fine.setCosmetic(true);
        paintCuts(painter, m_panel.cuts, fine, detail, kFinest);
    } else {
        paintParts(painter, detail);
    }
    QPen strong(m_theme.color(Role::Text), 1.5);
    strong.setCosmetic(true);
    painter->setRenderHint(QPainter::Antialiasing, true);
    paintCuts(painter, m_panel.strong, strong, detail, kFinestStrong);
    if (const QRectF inside = m_panel.entered ? entered() : QRectF(); !inside.isEmpty()) {
        QPen around(m_theme.color(Role::Text), 1.5);
        around.setCosmetic(true);
        painter->setPen(around);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(inside);
    }
    QPen frame(m_theme.color(m_selected ? Role::Accent : Role::Border), m_selected ? 2.5 : 1);
    frame.setCosmetic(true);
    painter->setPen(frame);
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(m_cells);
    if (detail >= kTextDetail) paintTexts(painter);
}

// --- A strip
// ---------------------------------------------------------------------------------------------------------

TileStripItem::TileStripItem(const Theme &theme, TileStrip strip, double width)
    : m_theme(theme), m_strip(std::move(strip)), m_fonts(tileFonts()) {
    m_size = {width, QFontMetricsF(m_fonts.small).height() + kGap + kBar};
}

void TileStripItem::setSelected(bool selected) {
    if (m_selected == selected) return;
    m_selected = selected;
    update();
}

QRectF TileStripItem::boundingRect() const { return QRectF(QPointF(), m_size).adjusted(-4, -4, 4, 4); }

void TileStripItem::paint(QPainter *painter, const QStyleOptionGraphicsItem * /*option*/, QWidget * /*widget*/) {
    const double detail = levelOfDetail(*painter);
    const QFontMetricsF small(m_fonts.small);
    const QRectF bar(0, small.height() + kGap, m_size.width(), kBar);
    painter->fillRect(bar, m_theme.tint(m_strip.role));
    const double step = bar.width() / static_cast<double>(std::max<int64_t>(1, m_strip.steps));
    painter->fillRect(QRectF(bar.left(), bar.top(), std::max(step, 1.5), bar.height()), m_theme.color(m_strip.role));
    if (m_strip.steps <= kMaxSteps && step * detail >= kFinest) {
        QPen line(m_theme.color(Role::Base), 1);
        line.setCosmetic(true);
        painter->setPen(line);
        for (int64_t i = 1; i < m_strip.steps; ++i) {
            const double x = bar.left() + step * static_cast<double>(i);
            painter->drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()));
        }
    }
    QPen frame(m_theme.color(m_selected ? Role::Accent : Role::Border), m_selected ? 2.5 : 1);
    frame.setCosmetic(true);
    painter->setPen(frame);
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(bar);
    if (detail < kTextDetail) return;
    painter->setFont(m_fonts.small);
    painter->setPen(m_theme.color(Role::Text));
    painter->drawText(QPointF(0, small.ascent()), m_strip.text);
    const double used = small.horizontalAdvance(m_strip.text) + 2 * kBar;
    painter->setPen(m_theme.color(Role::QuietText));
    painter->drawText(QPointF(used, small.ascent()),
                      small.elidedText(m_strip.subtitle, Qt::ElideRight, std::max(0.0, m_size.width() - used)));
}

} // namespace loopscope
