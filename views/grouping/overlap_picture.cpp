#include "views/grouping/overlap_picture.h"

#include "views/session/text.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopscope {

namespace {

constexpr double kPictureMargin = 12;
constexpr double kMinHalo = 0.14; // of the picture's side, for the widest one where halos are widened
constexpr double kMaxStretch = 64;

double lengthOf(Interval range) { return static_cast<double>(range.max - range.min + 1); }

int axisNamed(const PipelineStage &stage, const std::string &name) {
    for (size_t i = 0; i < stage.axes.size(); ++i)
        if (stage.axes[i].name == name) return static_cast<int>(i);
    return -1;
}

/// Points of the output to one of the stage's: 2 at half the resolution.
double scaleOf(double output, double stage) {
    if (stage <= 0 || output <= 0) return 1;
    const double ratio = output / stage;
    if (ratio >= 1.5) return std::round(ratio);
    if (ratio <= 1 / 1.5) return 1 / std::round(1 / ratio);
    return 1;
}

class OverlapReader {
  public:
    OverlapReader(const Pipeline &pipeline, const OverlappedTile &tile, int output)
        : m_pipeline(pipeline), m_tile(tile), m_output(pipeline.stages[static_cast<size_t>(output)]) {}

    [[nodiscard]] Overlap along(const TileRegion &region, int axis) const {
        const TileRegion &out = m_tile.regions.front();
        if (axis < 0 || static_cast<size_t>(axis) >= m_output.axes.size() || m_pipeline.isInput(region.buffer))
            return {};
        const PipelineStage &stage = m_pipeline.stages[static_cast<size_t>(region.buffer)];
        int own = axisNamed(stage, m_output.axes[static_cast<size_t>(axis)].name);
        if (own < 0 && static_cast<size_t>(axis) < stage.axes.size() && !namesOfOutput(stage, axis)) own = axis;
        if (own < 0) return {}; // the same for all places along the axis
        const Interval mine = region.region[static_cast<size_t>(own)];
        const Interval tile = out.region[static_cast<size_t>(axis)];
        const double scale =
            scaleOf(lengthOf(out.whole[static_cast<size_t>(axis)]), lengthOf(region.whole[static_cast<size_t>(own)]));
        return {static_cast<double>(tile.min) - static_cast<double>(mine.min) * scale,
                static_cast<double>(mine.max + 1) * scale - static_cast<double>(tile.max + 1)};
    }

  private:
    /// The stage's axis there is another axis of the output.
    [[nodiscard]] bool namesOfOutput(const PipelineStage &stage, int axis) const {
        return axisNamed(m_output, stage.axes[static_cast<size_t>(axis)].name) >= 0;
    }

    const Pipeline &m_pipeline;
    const OverlappedTile &m_tile;
    const PipelineStage &m_output;
};

} // namespace

std::vector<OverlapBox> overlapBoxes(const Pipeline &pipeline, const OverlappedTile &tile, int output, int across,
                                     int down) {
    const OverlapReader reader(pipeline, tile, output);
    std::vector<OverlapBox> boxes;
    for (size_t r = 0; r < tile.regions.size(); ++r) {
        const TileRegion &region = tile.regions[r];
        if (region.input || region.inlined) continue;
        boxes.push_back({r, reader.along(region, across), reader.along(region, down)});
    }
    const auto size = [](const OverlapBox &box) {
        return box.across.before + box.across.after + box.down.before + box.down.after;
    };
    std::ranges::stable_sort(boxes, [&](const OverlapBox &a, const OverlapBox &b) { return size(a) > size(b); });
    return boxes;
}

std::vector<OverlapRing> overlapRings(const std::vector<OverlapBox> &boxes) {
    std::vector<OverlapRing> rings;
    for (const OverlapBox &box : boxes) {
        const auto same = std::ranges::find_if(
            rings, [&](const OverlapRing &ring) { return ring.across == box.across && ring.down == box.down; });
        if (same == rings.end())
            rings.push_back({{box.region}, box.across, box.down, -1});
        else
            same->regions.push_back(box.region);
    }
    int colour = 0;
    for (size_t ring = rings.size(); ring-- > 0;)
        if (!(rings[ring].across == Overlap{} && rings[ring].down == Overlap{})) rings[ring].colour = colour++ % 6;
    return rings;
}

OverlapPicture::OverlapPicture(const Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setAccessibleName(tr("Regions of one tile"));
    setMouseTracking(true);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void OverlapPicture::showTile(ShownGroupingPtr result, std::shared_ptr<const OverlappedTile> tile, int output,
                              int across, int down) {
    m_result = std::move(result);
    m_tile = std::move(tile);
    m_output = output;
    setAxes(across, down);
}

void OverlapPicture::clear() {
    m_tile.reset();
    m_rings.clear();
    update();
}

void OverlapPicture::setAxes(int across, int down) {
    m_across = across;
    m_down = down;
    arrange();
}

void OverlapPicture::setMagnified(bool magnified) {
    m_magnified = magnified;
    arrange();
}

void OverlapPicture::setSelected(int buffer) {
    m_selected = buffer;
    update();
}

int64_t OverlapPicture::tileLength(int axis) const {
    if (axis < 0) return 1;
    const Interval range = m_tile->regions.front().region[static_cast<size_t>(axis)];
    return range.max - range.min + 1;
}

/// The tile in the middle with room for the widest halo; both axes at one scale as far as that leaves something to see.
void OverlapPicture::arrange() {
    update();
    m_rings.clear();
    if (!m_tile || m_tile->regions.empty()) return;
    m_rings = overlapRings(overlapBoxes(m_result->pipeline(), *m_tile, m_output, m_across, m_down));
    Overlap across;
    Overlap down;
    for (const OverlapRing &box : m_rings) {
        across = {std::max(across.before, box.across.before), std::max(across.after, box.across.after)};
        down = {std::max(down.before, box.down.before), std::max(down.after, box.down.after)};
    }
    const double text = fontMetrics().height();
    const QRectF room =
        QRectF(rect()).adjusted(kPictureMargin + text, kPictureMargin, -kPictureMargin, -kPictureMargin - 2 * text);
    if (room.width() < 20 || room.height() < 20) return;
    const auto width = static_cast<double>(tileLength(m_across));
    const auto height = static_cast<double>(tileLength(m_down));
    const double halo = std::max({across.before, across.after, down.before, down.after});
    const auto fitted = [&](double stretch) {
        return std::min(room.width() / (width + stretch * (across.before + across.after)),
                        room.height() / (height + stretch * (down.before + down.after)));
    };
    m_stretch = 1;
    if (m_magnified && halo > 0) {
        const double wanted = kMinHalo * std::min(room.width(), room.height());
        while (m_stretch < kMaxStretch && halo * m_stretch * fitted(m_stretch) < wanted) m_stretch *= 2;
    }
    // Rows of one point, or tiles as wide as a picture, are drawn wider or higher than they are.
    const double scale = fitted(m_stretch);
    m_point = {scale, scale};
    constexpr double least = 28;
    if (width * scale < least) m_point.setWidth(least / width);
    if (height * scale < least) m_point.setHeight(least / height);
    const QSizeF tile(width * m_point.width(), height * m_point.height());
    const QSizeF all(tile.width() + m_stretch * scale * (across.before + across.after),
                     tile.height() + m_stretch * scale * (down.before + down.after));
    const QPointF corner(room.left() + std::max(0.0, (room.width() - all.width()) / 2),
                         room.top() + std::max(0.0, (room.height() - all.height()) / 2));
    m_tileRect = {corner + QPointF(m_stretch * scale * across.before, m_stretch * scale * down.before), tile};
}

QRectF OverlapPicture::rectOf(size_t ring) const {
    const OverlapRing &of = m_rings[ring];
    const double scale = m_stretch * std::min(m_point.width(), m_point.height());
    // Smaller than the tile: never thinner than a line.
    const auto reach = [&](double points, double side) { return std::max(points * scale, 2 - side / 2); };
    return m_tileRect.adjusted(-reach(of.across.before, m_tileRect.width()),
                               -reach(of.down.before, m_tileRect.height()), reach(of.across.after, m_tileRect.width()),
                               reach(of.down.after, m_tileRect.height()));
}

// --- Painting
// ---------------------------------------------------------------------------------------------------------

void OverlapPicture::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    arrange();
}

/// The lines between this tile and those beside it go on.
void OverlapPicture::paintNeighbours(QPainter &painter) const {
    painter.setPen(QPen(m_theme.color(Role::Border), 1, Qt::DashLine));
    for (const double x : {m_tileRect.left(), m_tileRect.right()})
        painter.drawLine(QPointF(x, 0), QPointF(x, height() - 2.0 * fontMetrics().height()));
    for (const double y : {m_tileRect.top(), m_tileRect.bottom()}) painter.drawLine(QPointF(0, y), QPointF(width(), y));
}

QString OverlapPicture::caption() const {
    const Pipeline &pipeline = m_result->pipeline();
    const PipelineStage &stage = pipeline.stages[static_cast<size_t>(m_output)];
    const auto side = [&](int axis) {
        return QStringLiteral("%1 %2").arg(qt(stage.axes[static_cast<size_t>(axis)].name)).arg(tileLength(axis));
    };
    QString text = side(m_across);
    if (m_down >= 0) text += QStringLiteral(" \u00d7 ") + side(m_down);
    text = tr("Tile of %1: %2").arg(qt(stage.name), text);
    if (m_tile->tiles > 1) text += tr(", one of %1").arg(exactText(m_tile->tiles));
    return text;
}

/// How far the region selected (otherwise the largest) reaches beyond the tile.
void OverlapPicture::paintNumbers(QPainter &painter) const {
    const auto selected =
        std::ranges::find_if(m_rings, [&](const OverlapRing &ring) { return holds(ring, m_selected); });
    const size_t shown = selected == m_rings.end() ? 0 : static_cast<size_t>(selected - m_rings.begin());
    const OverlapRing &of = m_rings[shown];
    const QRectF outer = rectOf(shown);
    painter.setPen(m_theme.color(Role::Text));
    const auto say = [&](double points, const QRectF &strip) {
        if (points <= 0) return;
        const QString text = QStringLiteral("+%1").arg(points, 0, 'g', 4);
        const QSizeF size(fontMetrics().horizontalAdvance(text) + 2, fontMetrics().height());
        QRectF place(QPointF(), size);
        place.moveCenter(strip.center());
        painter.drawText(place, Qt::AlignCenter, text);
    };
    say(of.across.before, {outer.topLeft(), QPointF(m_tileRect.left(), outer.bottom())});
    say(of.across.after, {QPointF(m_tileRect.right(), outer.top()), outer.bottomRight()});
    say(of.down.before, {outer.topLeft(), QPointF(outer.right(), m_tileRect.top())});
    say(of.down.after, {QPointF(outer.left(), m_tileRect.bottom()), outer.bottomRight()});
}

/// Lighter from ring to ring inwards; who it is stands in its upper left corner as far as there is room.
void OverlapPicture::paintRing(QPainter &painter, size_t ring) const {
    const OverlapRing &of = m_rings[ring];
    const QRectF rect = rectOf(ring);
    const bool selected = holds(of, m_selected);
    const QColor ink = of.colour < 0 ? m_theme.color(Role::Text) : m_theme.series(of.colour);
    QColor ground = m_theme.color(Role::Base);
    if (of.colour >= 0) {
        const float share = selected ? 0.34F : 0.16F;
        const auto mixed = [&](float a, float b) { return a * (1 - share) + b * share; };
        ground = QColor::fromRgbF(mixed(ground.redF(), ink.redF()), mixed(ground.greenF(), ink.greenF()),
                                  mixed(ground.blueF(), ink.blueF()));
    }
    painter.setBrush(ground);
    painter.setPen(QPen(ink, selected ? 3 : 1.6));
    painter.drawRect(rect);
    double strip = rect.height(); // to the next ring inside
    if (ring + 1 < m_rings.size()) strip = rectOf(ring + 1).top() - rect.top();
    if (of.colour >= 0) strip = std::min(strip, m_tileRect.top() - rect.top());
    if (strip < fontMetrics().height()) return;
    painter.setPen(m_theme.color(Role::Text));
    const QRectF text(rect.left() + 4, rect.top(), rect.width() / 2 - fontMetrics().averageCharWidth() * 4.0,
                      fontMetrics().height());
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(namesOf(of), Qt::ElideRight, static_cast<int>(text.width())));
}

void OverlapPicture::paintEvent(QPaintEvent * /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::Base));
    if (!m_tile || m_rings.empty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    for (size_t ring = 0; ring < m_rings.size(); ++ring) paintRing(painter, ring);
    paintNeighbours(painter);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.color(Role::Text), 1.6));
    painter.drawRect(m_tileRect);
    paintNumbers(painter);
    const double line = fontMetrics().height();
    const QRectF text(4, height() - 2 * line - 2, width() - 8.0, line);
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(text, Qt::AlignHCenter | Qt::AlignVCenter,
                     fontMetrics().elidedText(caption(), Qt::ElideRight, static_cast<int>(text.width())));
    painter.setPen(m_theme.color(Role::QuietText));
    const bool none = m_rings.size() < 2 && m_rings.front().regions.size() < 2;
    const QString note = none            ? tr("No other stage is computed for it")
                         : m_stretch > 1 ? tr("Halos are drawn %1 times as wide").arg(m_stretch)
                                         : tr("To scale");
    painter.drawText(text.translated(0, line), Qt::AlignHCenter | Qt::AlignVCenter,
                     fontMetrics().elidedText(note, Qt::ElideRight, static_cast<int>(text.width())));
}

// --- Mouse
// ------------------------------------------------------------------------------------------------------------

/// The smallest that holds the point.
int OverlapPicture::ringAt(QPointF point) const {
    for (size_t ring = m_rings.size(); ring-- > 0;)
        if (rectOf(ring).contains(point)) return static_cast<int>(ring);
    return -1;
}

bool OverlapPicture::holds(const OverlapRing &ring, int buffer) const {
    return std::ranges::any_of(ring.regions, [&](size_t region) { return m_tile->regions[region].buffer == buffer; });
}

QString OverlapPicture::namesOf(const OverlapRing &ring) const {
    QStringList names;
    for (const size_t region : ring.regions) names << stageName(m_result->pipeline(), m_tile->regions[region].buffer);
    return names.join(QStringLiteral(", "));
}

int OverlapPicture::colourOf(int buffer) const {
    for (const OverlapRing &ring : m_rings)
        if (holds(ring, buffer)) return ring.colour;
    return -1;
}

void OverlapPicture::mousePressEvent(QMouseEvent *event) {
    if (!m_tile || event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
    const int at = ringAt(event->position());
    if (at < 0) return;
    // Click by click through those of one ring.
    const OverlapRing &ring = m_rings[static_cast<size_t>(at)];
    size_t next = 0;
    for (size_t i = 0; i < ring.regions.size(); ++i)
        if (m_tile->regions[ring.regions[i]].buffer == m_selected) next = (i + 1) % ring.regions.size();
    Q_EMIT stageClicked(m_tile->regions[ring.regions[next]].buffer);
}

bool OverlapPicture::event(QEvent *event) {
    if (event->type() != QEvent::ToolTip || !m_tile) return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int at = ringAt(help->pos());
    if (at < 0) {
        QToolTip::hideText();
        return true;
    }
    QStringList lines;
    for (const size_t number : m_rings[static_cast<size_t>(at)].regions) {
        const TileRegion &region = m_tile->regions[number];
        QStringList sizes;
        for (const Interval range : region.region) sizes << QString::number(range.max - range.min + 1);
        QString line = tr("%1: %2 points")
                           .arg(stageName(m_result->pipeline(), region.buffer), sizes.join(QStringLiteral(" \u00d7 ")));
        if (region.repeated > 0) line += tr(", %1 of it repeated by other tiles").arg(percentText(region.repeated));
        lines << line;
    }
    const QString text = lines.join(u'\n');
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

} // namespace loopscope
