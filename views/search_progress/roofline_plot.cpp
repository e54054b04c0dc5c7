#include "views/search_progress/roofline_plot.h"

#include "views/session/text.h"

#include <QLabel>
#include <QPolygonF>
#include <QToolButton>
#include <QTransform>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace loopscope {

namespace {
constexpr int kRooflineSoon = 100; // ms
constexpr double kSpread = 1.12;   // factor from the intensity to the first and last trial
constexpr double kAround = 12;     // factor of intensity shown to the left of the task's
constexpr double kBeyond = 60;     // to its right, where the flat rooflines have their names
} // namespace

RooflinePlot::RooflinePlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent)
    : TrialPlot(QStringLiteral("Roofline"), data, theme, settings, parent), m_measure(new QToolButton(this)),
      m_limit(new QLabel) {
    m_measure->setText(QStringLiteral("Measure this machine"));
    m_measure->setIcon(theme.icon(QStringLiteral("measure")));
    m_measure->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    addControl(m_measure);
    connect(m_measure, &QToolButton::clicked, this, &RooflinePlot::measureMachine);
    m_limit->setWordWrap(true);
    m_limit->hide();
    body()->insertWidget(0, m_limit);
    Plot &p = plot();
    p.setQuantities(Quantity::Number, Quantity::Gflops, true, true);
    p.setTitles(QStringLiteral("arithmetic intensity, FLOP/byte"), QStringLiteral("GFLOP/s"));
    m_points = p.addGraph();
    m_points->setLineStyle(QCPGraph::lsNone);
    m_points->setName(QStringLiteral("trials, first to last"));
    m_path = p.addGraph();
    m_path->setName(QStringLiteral("best so far"));
    m_here = new QCPItemStraightLine(&p);
    m_layer = &addLayer(p.xAxis, p.yAxis);
    p.showLegend({m_points, m_path});
    m_soon.setSingleShot(true);
    m_soon.setInterval(kRooflineSoon);
    connect(&m_soon, &QTimer::timeout, this, [this] { drawTrials(); });
    connect(&p, &QCustomPlot::afterLayout, this, [this] { placeNames(); });
    setMeasuring(false, {});
    rebuild();
}

void RooflinePlot::setMachine(const std::optional<MachineRooflines> &machine) { m_machine = machine; }

void RooflinePlot::setMeasuring(bool measuring, const QString &whyNot) {
    m_measure->setEnabled(!measuring && whyNot.isEmpty());
    m_measure->setText(measuring   ? QStringLiteral("Measuring \u2026")
                       : m_machine ? QStringLiteral("Measure again")
                                   : QStringLiteral("Measure this machine"));
    m_measure->setToolTip(whyNot.isEmpty()
                              ? QStringLiteral("Times arithmetic and every level of memory, on one core and on all; "
                                               "takes some seconds and is kept")
                              : whyNot);
}

void RooflinePlot::rebuild() {
    const auto *document = data().document;
    m_intensity = document && document->task ? intensityOf(*document->task) : std::numeric_limits<double>::quiet_NaN();
    const QString untimed = whyNoTimes(data().series);
    plot().setEmptyText(document && document->task && !std::isfinite(m_intensity)
                            ? QStringLiteral("The operations of this workload cannot be counted: it has no place under "
                                             "the rooflines.")
                        : untimed.isEmpty() ? QStringLiteral("Trials appear here below the limits of the machine.")
                                            : untimed);
    m_measure->setVisible(!document || !document->task || !document->task->target.isGpu());
    drawRoofs();
    drawTrials();
}

void RooflinePlot::addTrials(int) {
    if (!m_soon.isActive()) m_soon.start();
}

void RooflinePlot::updateReferences() {
    drawRoofs();
    addTrials(0);
}

double RooflinePlot::xOf(int trial) const {
    const int count = std::max(2, data().series.count());
    const double share = 2.0 * trial / (count - 1) - 1;
    return m_intensity * std::pow(kSpread, share);
}

void RooflinePlot::drawRoofs() {
    Plot &p = plot();
    for (auto &line : m_lines) {
        p.removeGraph(line.graph);
        if (line.name) p.removeItem(line.name);
    }
    m_lines.clear();
    const auto rooflines = m_machine ? rooflinesOf(*m_machine) : std::vector<Roofline>{};
    m_limit->setText(std::isfinite(m_intensity) ? limitText(rooflines, m_intensity) : QString());
    m_limit->setVisible(!m_limit->text().isEmpty());
    // Far beyond what is shown, so that panning never finds an end.
    constexpr double kLeast = 1e-6;
    constexpr double kMost = 1e9;
    const auto add = [&](const Roofline &roofline, int color, bool flat, const QString &name) {
        Line line{roofline, p.addGraph(), new QCPItemText(&p), name, color, flat};
        line.graph->setLayer(QStringLiteral("grid"));
        if (flat) {
            line.graph->setData({roofline.ridge, kMost}, {roofline.peakGflops, roofline.peakGflops}, true);
        } else {
            line.graph->setData({kLeast, roofline.ridge}, {roofline.at(kLeast), roofline.peakGflops}, true);
        }
        line.name->setLayer(QStringLiteral("axes")); // over the lines
        line.name->setPadding(QMargins(3, 0, 3, 0));
        m_lines.push_back(line);
    };
    for (const bool all : {true, false}) {
        const Roofline *first = nullptr; // its ridge is where the flat part begins
        int color = 0;
        for (const auto &roofline : rooflines) {
            if (roofline.allCores != all) continue;
            add(roofline, color++, false,
                QStringLiteral("%1 %2B/s").arg(roofline.name.section(u',', 0, 0), countText(roofline.bytesPerSecond)));
            if (!first || roofline.ridge < first->ridge) first = &roofline;
        }
        if (first)
            add(*first, 0, true,
                QStringLiteral("%1 %2").arg(!all                     ? QStringLiteral("one core")
                                            : first->whole.isEmpty() ? QStringLiteral("peak")
                                                                     : first->whole,
                                            gflopsText(first->peakGflops)));
    }
}

void RooflinePlot::drawTrials() {
    m_soon.stop();
    Plot &p = plot();
    const bool known = std::isfinite(m_intensity);
    m_layer->cloud.clear();
    m_here->setVisible(known);
    QVector<double> x;
    QVector<double> y;
    QVector<double> pathX;
    QVector<double> pathY;
    double least = qInf();
    double most = 0;
    if (known) {
        m_here->point1->setCoords(m_intensity, 1);
        m_here->point2->setCoords(m_intensity, 10);
        const auto &series = data().series;
        m_layer->cloud.reserve(series.valid().size());
        for (const auto &point : series.valid()) {
            if (point.gflops <= 0) continue;
            x << xOf(point.trial);
            y << point.gflops;
            m_layer->cloud.add({x.back(), y.back(), point.trial});
            least = std::min(least, point.gflops);
            most = std::max(most, point.gflops);
        }
        for (const auto &record : series.records()) {
            pathX << xOf(record.trial);
            pathY << record.gflops;
        }
    }
    m_points->setData(x, y, true);
    m_path->setData(pathX, pathY, true);
    double left = known ? m_intensity / kAround : 0.1;
    double right = known ? m_intensity * kBeyond : 100;
    for (const auto &line : m_lines) {
        most = std::max(most, line.roofline.peakGflops);
        if (line.roofline.allCores) left = std::min(left, line.roofline.ridge / 10);
        if (line.roofline.allCores) right = std::max(right, line.roofline.ridge * 3);
        if (line.roofline.allCores) least = std::min(least, line.roofline.peakGflops / 40);
    }
    if (!(least < most)) least = most / 100;
    p.setEmpty(!known || (x.isEmpty() && m_lines.empty()));
    constexpr double kHeadroom = 4; // for a name above the highest roofline
    if (most > 0) p.setDataRange(QCPRange(left, right), QCPRange(least / 2, most * kHeadroom));
    applyColors();
    updateSelection();
    p.replotSoon();
}

/// Names of memories stand on their rooflines, as on the lines of a map, those of the flat parts beside them, each
/// where no other name is. First every roofline has its short name, the steepest, which shows least of itself, before
/// the others; then those with room around them say their bandwidth, too.
void RooflinePlot::placeNames() {
    const QRectF rect = plot().axisRect()->rect();
    std::map<const Line *, QPolygonF> taken;
    const auto freeFor = [&](const Line &line) -> IsFree {
        return [&](const QPolygonF &place) {
            return std::all_of(place.begin(), place.end(),
                               [&](const QPointF &corner) { return rect.contains(corner); }) &&
                   std::none_of(taken.begin(), taken.end(), [&](const auto &other) {
                       return other.first != &line && other.second.intersects(place);
                   });
        };
    };
    const auto put = [&](const Line &line, const std::optional<NamePlace> &place) {
        if (!place) return;
        line.name->setText(place->text);
        line.name->setRotation(place->angle);
        line.name->setPositionAlignment(place->alignment);
        line.name->position->setCoords(place->at.x(), place->at.y());
        line.name->setVisible(true);
        taken[&line] = place->covers;
    };
    for (const Line &line : m_lines) {
        line.name->position->setType(QCPItemPosition::ptAbsolute);
        line.name->setClipAxisRect(plot().axisRect());
        line.name->setVisible(false);
        if (line.flat) put(line, flatPlace(line, rect, freeFor(line)));
    }
    for (const Line &line : m_lines)
        if (!line.flat && line.roofline.allCores)
            put(line, slopedPlace(line, line.text.section(u' ', 0, 0), true, rect, freeFor(line)));
    for (auto line = m_lines.rbegin(); line != m_lines.rend(); ++line)
        if (!line->flat && line->roofline.allCores)
            put(*line, slopedPlace(*line, line->text, false, rect, freeFor(*line)));
}

std::optional<RooflinePlot::NamePlace> RooflinePlot::flatPlace(const Line &line, const QRectF &rect,
                                                               const IsFree &isFree) const {
    const double level = plot().yAxis->coordToPixel(line.roofline.peakGflops);
    const double begin = std::max(rect.left(), plot().xAxis->coordToPixel(line.roofline.ridge));
    const QFontMetricsF metrics(line.name->font());
    const QSizeF size(metrics.horizontalAdvance(line.text) + 6, metrics.height());
    // The lower of the two stands below its line: they may lie close together.
    for (const bool above : {line.roofline.allCores, !line.roofline.allCores})
        for (double right = rect.right() - 2; right - size.width() > begin; right -= 12) {
            const QRectF place(right - size.width(), above ? level - size.height() - 1 : level + 1, size.width(),
                               size.height());
            if (isFree(QPolygonF(place)))
                return NamePlace{line.text, place.topLeft(), Qt::AlignLeft | Qt::AlignTop, 0, QPolygonF(place)};
        }
    return {};
}

/// `upright`: where too short a piece is seen for a name along it, the name may stand on it or at its side.
std::optional<RooflinePlot::NamePlace> RooflinePlot::slopedPlace(const Line &line, const QString &text, bool upright,
                                                                 const QRectF &rect, const IsFree &isFree) const {
    const QCPAxis *x = plot().xAxis;
    const QCPAxis *y = plot().yAxis;
    // From where the roofline enters the plot, at the left or at the bottom, to its ridge.
    const double enter = std::max(x->range().lower, y->range().lower * 1e9 / line.roofline.bytesPerSecond);
    const QPointF from(x->coordToPixel(enter), y->coordToPixel(line.roofline.at(enter)));
    const QPointF to(x->coordToPixel(line.roofline.ridge), y->coordToPixel(line.roofline.peakGflops));
    const double length = std::hypot(to.x() - from.x(), to.y() - from.y());
    if (enter >= line.roofline.ridge || to.x() <= rect.left() || length < 1) return {};
    const QPointF along = (to - from) / length;
    const double angle = std::atan2(along.y(), along.x()) * 180 / M_PI;
    const QFontMetricsF metrics(line.name->font());
    const QSizeF size(metrics.horizontalAdvance(text) + 6, metrics.height());
    for (double at = 4; at + size.width() <= length; at += 6) {
        const QPointF start = from + along * at;
        const QPolygonF place = QTransform()
                                    .translate(start.x(), start.y())
                                    .rotate(angle)
                                    .map(QPolygonF(QRectF(0, -size.height() / 2, size.width(), size.height())));
        if (isFree(place)) return NamePlace{text, start, Qt::AlignLeft | Qt::AlignVCenter, angle, place};
    }
    if (!upright) return {};
    for (const double aside : {0.0, -1.0, 1.0})
        for (double at = 0; at <= length; at += 4) {
            const QPointF middle = from + along * at + QPointF(aside * size.width() / 2, 0);
            const QRectF place(middle - QPointF(size.width() / 2, size.height() / 2), size);
            if (isFree(QPolygonF(place))) return NamePlace{text, middle, Qt::AlignCenter, 0, QPolygonF(place)};
        }
    return {};
}

void RooflinePlot::applyColors() {
    TrialPlot::applyColors();
    using Style = QCPScatterStyle;
    const double size = pointSize(data().series.valid().size());
    QColor fill = theme().color(Role::Series0);
    fill.setAlphaF(0.5F);
    m_points->setPen(QPen(Qt::NoPen));
    m_points->setScatterStyle(Style(pointShape(data().series.valid().size()), QPen(Qt::NoPen), fill, size));
    m_path->setPen(QPen(theme().color(Role::Good), 2));
    m_path->setScatterStyle(
        Style(Style::ssDiamond, QPen(theme().color(Role::Base), 0.8), theme().color(Role::Good), size + 3));
    m_here->setPen(QPen(theme().color(Role::QuietText), 1, Qt::DotLine));
    for (const auto &line : m_lines) {
        const QColor color = line.flat ? theme().color(Role::Text) : theme().series(line.color + 1);
        line.graph->setPen(
            QPen(color, line.roofline.allCores ? 1.8 : 1.1, line.roofline.allCores ? Qt::SolidLine : Qt::DashLine));
        line.name->setColor(color);
        line.name->setBrush(theme().color(Role::Base)); // no line runs through a name
    }
    QPalette palette = m_limit->palette();
    palette.setColor(QPalette::WindowText, theme().color(Role::QuietText));
    m_limit->setPalette(palette);
}

} // namespace loopscope
