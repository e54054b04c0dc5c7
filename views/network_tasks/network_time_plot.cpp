#include "views/network_tasks/network_time_plot.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

NetworkTimePlot::NetworkTimePlot(Theme &theme, QWidget *parent) : Plot(theme, parent), m_colors(theme) {
    setObjectName(QStringLiteral("network_time_plot"));
    setAccessibleName(tr("Estimated time of the network over trials"));
    m_estimated = addGraph();
    m_estimated->setLineStyle(QCPGraph::lsStepLeft);
    m_estimated->setName(tr("estimated"));
    m_measured = addGraph();
    m_measured->setLineStyle(QCPGraph::lsNone);
    m_measured->setName(tr("a run, timed"));
    setTitles(tr("trials"), tr("time, of the network"));
    setQuantities(Quantity::Count, Quantity::Seconds);
    showLegend({m_estimated, m_measured});
    setEmptyText(tr("The estimated time of the network over trials, once each of its tasks has a time"));
    setEmpty(true);
    setHover([this](const QPointF &pixel) { return pointText(pixel); });
    setTable([this] { return csv(); });
    connect(this, &Plot::themeApplied, this, &NetworkTimePlot::applyColors);
    applyTheme();
}

void NetworkTimePlot::applyColors() {
    m_estimated->setPen(QPen(m_colors.color(Role::Series0), 2));
    const QColor color = m_colors.color(Role::Series1);
    m_measured->setPen(QPen(color, 2));
    m_measured->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(color, 2), QBrush(color), 9));
}

void NetworkTimePlot::show(const NetworkProgress &progress) {
    m_points = progress.estimated;
    m_runs = progress.measured;
    m_estimated->data()->clear();
    m_measured->data()->clear();
    double most = 0;
    int trials = 1;
    const auto add = [&](QCPGraph *graph, const NetworkTimePoint &point) {
        graph->addData(point.trials, point.seconds);
        most = std::max(most, point.seconds);
        trials = std::max(trials, point.trials);
    };
    for (const NetworkTimePoint &point : m_points) add(m_estimated, point);
    for (const NetworkTimePoint &point : m_runs) add(m_measured, point);
    setEmpty(m_points.empty() && m_runs.empty());
    setDataRange(rangeWithMargin(0, trials, false), QCPRange(0, most > 0 ? most * 1.08 : 1));
    replotSoon();
}

QString NetworkTimePlot::pointText(const QPointF &pixel) const {
    constexpr double kNear = 8; // pixels
    for (const NetworkTimePoint &run : m_runs) {
        const QPointF at(xAxis->coordToPixel(run.trials), yAxis->coordToPixel(run.seconds));
        if (std::hypot(at.x() - pixel.x(), at.y() - pixel.y()) < kNear)
            return tr("A run took %1, after %2")
                .arg(timeText(run.seconds), trialCountText(static_cast<size_t>(run.trials)));
    }
    const double x = xAxis->pixelToCoord(pixel.x());
    const auto after = std::ranges::upper_bound(m_points, x, {}, [](const NetworkTimePoint &p) { return p.trials; });
    if (after == m_points.begin()) return {};
    const NetworkTimePoint &point = *std::prev(after);
    return tr("%1 estimated after %2, %3")
        .arg(timeText(point.seconds), trialCountText(static_cast<size_t>(point.trials)), durationText(point.elapsed));
}

QString NetworkTimePlot::csv() const {
    QString text = QStringLiteral("kind,trials,elapsed_seconds,network_seconds\n");
    const auto line = [&](const char *kind, const NetworkTimePoint &point) {
        text += QStringLiteral("%1,%2,%3,%4\n")
                    .arg(QLatin1String(kind))
                    .arg(point.trials)
                    .arg(point.elapsed)
                    .arg(point.seconds, 0, 'g', 9);
    };
    for (const NetworkTimePoint &point : m_points) line("estimated", point);
    for (const NetworkTimePoint &run : m_runs) line("timed", run);
    return text;
}

} // namespace loopscope
