#include "views/network_dispatch/dispatch_plot.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

void fill(QCPGraph *graph, const std::vector<SizePoint> &points) {
    graph->data()->clear();
    for (const SizePoint &point : points) graph->addData(point.size, point.seconds);
}

/// Of the curve's point at a size; nothing where it has none.
std::optional<double> at(const std::vector<SizePoint> &points, double size) {
    const auto found = std::ranges::find(points, size, &SizePoint::size);
    return found == points.end() ? std::nullopt : std::optional(found->seconds);
}

} // namespace

DispatchPlot::DispatchPlot(Theme &theme, QWidget *parent)
    : Plot(theme, parent), m_colors(theme), m_ratio(addGraph(xAxis, yAxis2)), m_one(addGraph(xAxis, yAxis2)),
      m_fixed(addGraph()), m_taken(addGraph()) {
    setObjectName(QStringLiteral("dispatch_plot"));
    setAccessibleName(tr("Time over the size"));
    m_ratio->setName(tr("table / static, at the right"));
    m_one->removeFromLegend();
    m_fixed->setName(tr("static kernels"));
    m_fixed->setLineStyle(QCPGraph::lsNone);
    m_taken->setName(tr("the table"));
    yAxis2->setVisible(true);
    keepFixed(yAxis2);
    setTitles(tr("size"), tr("time"));
    setTitle(yAxis2, tr("table / static"));
    setQuantities(Quantity::Count, Quantity::Seconds, true, true);
    setEmptyText(tr("Time over the size, by the table and by static kernels"));
    setEmpty(true);
    setHover([this](const QPointF &pixel) { return pointText(pixel); });
    setTable([this] { return csv(); });
    connect(this, &Plot::themeApplied, this, &DispatchPlot::applyColors);
    applyTheme();
}

void DispatchPlot::applyColors() {
    const QColor quiet = m_colors.color(Role::QuietText);
    QColor ratio = m_colors.color(Role::Warning);
    m_ratio->setPen(QPen(ratio, 1.5, Qt::DashLine));
    ratio.setAlpha(150);
    m_one->setPen(QPen(ratio, 1, Qt::DotLine));
    m_fixed->setPen(QPen(quiet, 1.5));
    m_fixed->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(quiet, 1.5), Qt::NoBrush, 8));
    m_taken->setPen(QPen(m_colors.color(Role::Text), 3));
    for (size_t v = 0; v < m_variants.size(); ++v) {
        const bool marked = m_marked == static_cast<int>(v);
        const QColor color = m_colors.series(static_cast<int>(v));
        m_variants[v]->setPen(QPen(color, marked ? 3 : 1.3));
        m_variants[v]->setScatterStyle(
            QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(color), QBrush(color), marked ? 8 : 4));
    }
}

void DispatchPlot::show(std::shared_ptr<const DispatchTable> table, int kernel) {
    m_table = std::move(table);
    m_kernel = kernel;
    m_marked = -1;
    m_curves = m_table ? curvesOf(*m_table, kernel) : DispatchCurves();
    for (QCPGraph *graph : m_variants) removeGraph(graph);
    m_variants.clear();
    for (const DispatchCurves::Variant &variant : m_curves.variants) {
        m_variants.push_back(addGraph());
        m_variants.back()->setName(variant.name);
        fill(m_variants.back(), variant.points);
    }
    fill(m_taken, m_curves.table);
    fill(m_fixed, m_curves.fixed);
    fill(m_ratio, m_curves.ratio);
    m_one->data()->clear();
    double least = INFINITY;
    double most = 0;
    double worst = 1;
    const auto look = [&](const std::vector<SizePoint> &points) {
        for (const SizePoint &point : points) {
            least = std::min(least, point.seconds);
            most = std::max(most, point.seconds);
        }
    };
    look(m_curves.table);
    look(m_curves.fixed);
    for (const DispatchCurves::Variant &variant : m_curves.variants) look(variant.points);
    for (const SizePoint &point : m_curves.ratio) worst = std::max(worst, point.seconds);
    setEmpty(most <= 0);
    if (most > 0) {
        const auto bound = static_cast<double>(m_table->bound);
        m_one->addData(1, 1);
        m_one->addData(bound, 1);
        setTitles(qt(m_table->symbol), tr("time"));
        setDataRange(rangeWithMargin(1, bound, true), rangeWithMargin(least, most, true));
        yAxis2->setRange(0, std::max(2.0, worst * 1.1));
        zoomToFit(); // another kernel has other times
    }
    QList<QCPAbstractPlottable *> named{m_taken, m_fixed, m_ratio};
    for (QCPGraph *graph : m_variants) named << graph;
    showLegend(named);
    applyColors();
    replotSoon();
}

void DispatchPlot::mark(int variant) {
    if (variant == m_marked) return;
    m_marked = variant;
    applyColors();
    replotSoon();
}

/// Of the timed size that is nearest.
QString DispatchPlot::pointText(const QPointF &pixel) const {
    constexpr double kNear = 24; // pixels
    if (!m_table || m_curves.fixed.empty()) return {};
    const auto away = [&](const SizePoint &point) { return std::abs(xAxis->coordToPixel(point.size) - pixel.x()); };
    const auto nearest = std::ranges::min_element(m_curves.fixed, {}, away);
    if (away(*nearest) > kNear) return {};
    const double size = nearest->size;
    const auto number = static_cast<int64_t>(size);
    QString text = QStringLiteral("<b>%1 = %2</b>").arg(qt(m_table->symbol)).arg(number);
    const auto line = [&](const QString &name, std::optional<double> seconds) {
        if (seconds) text += QStringLiteral("<br/>%1: %2").arg(name.toHtmlEscaped(), timeText(*seconds));
    };
    QString taken = tr("the table");
    if (m_kernel >= 0)
        taken += QStringLiteral(", v%1").arg(m_table->kernels[static_cast<size_t>(m_kernel)].variantAt(number));
    line(taken, at(m_curves.table, size));
    line(tr("static"), nearest->seconds);
    for (const DispatchCurves::Variant &variant : m_curves.variants) line(variant.name, at(variant.points, size));
    if (const auto ratio = at(m_curves.ratio, size))
        text += QStringLiteral("<br/>%1").arg(tr("%1 times static").arg(QString::number(*ratio, 'f', 2)));
    return text;
}

QString DispatchPlot::csv() const {
    QString text = QStringLiteral("size,table_seconds,static_seconds,ratio");
    for (const DispatchCurves::Variant &variant : m_curves.variants)
        text += QStringLiteral(",%1_seconds").arg(variant.name);
    text += u'\n';
    const auto number = [](std::optional<double> value) { return value ? QString::number(*value, 'g', 9) : QString(); };
    for (const SizePoint &point : m_curves.fixed) {
        QStringList cells{QString::number(point.size), number(at(m_curves.table, point.size)), number(point.seconds),
                          number(at(m_curves.ratio, point.size))};
        for (const DispatchCurves::Variant &variant : m_curves.variants)
            cells << number(at(variant.points, point.size));
        text += cells.join(u',') + u'\n';
    }
    return text;
}

} // namespace loopscope
