#include "views/logs/best_curves.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

BestCurves::BestCurves(Theme &theme, ChartAxis axis, QWidget *parent)
    : Plot(theme, parent), m_colors(theme), m_axis(axis) {
    const bool trials = axis == ChartAxis::Trials;
    setObjectName(trials ? QStringLiteral("curves_by_trials") : QStringLiteral("curves_by_time"));
    setAccessibleName(trials ? tr("Best times so far, by trials") : tr("Best times so far, by time"));
    setTitles(trials ? tr("trials") : tr("since the first record"), tr("best time so far"));
    setQuantities(trials ? Quantity::Count : Quantity::Duration, Quantity::Seconds, false, true);
    setHover([this](const QPointF &pixel) { return hoverAt(pixel); });
    setTable([this] { return table(); });
    connect(this, &Plot::themeApplied, this, &BestCurves::recolor);
    show(nullptr, {});
}

void BestCurves::show(const TaskDiff *task, const QStringList &names) {
    while (m_curves.size() < static_cast<size_t>(names.size())) {
        m_curves.push_back(addGraph());
        m_curves.back()->setLineStyle(QCPGraph::lsStepLeft);
        m_bests.push_back(addGraph());
        m_bests.back()->setLineStyle(QCPGraph::lsNone);
    }
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    double end = 0;
    QList<QCPAbstractPlottable *> shown;
    for (size_t log = 0; log < m_curves.size(); ++log) {
        QVector<double> x;
        QVector<double> y;
        m_bests[log]->setData({}, {});
        if (task != nullptr && log < task->sides.size() && task->sides[log]) {
            const DiffSide &side = *task->sides[log];
            for (const BestPoint &point : m_axis == ChartAxis::Trials ? side.byTrial : side.byTime) {
                x << point.x;
                y << point.seconds;
                least = std::min(least, point.seconds);
                most = std::max(most, point.seconds);
            }
            if (!x.isEmpty()) {
                m_bests[log]->setData({x.back()}, {y.back()});
                x << std::max(x.back(),
                              m_axis == ChartAxis::Trials ? static_cast<double>(side.records) : side.duration);
                y << y.back();
                end = std::max(end, x.back());
            }
        }
        m_curves[log]->setData(x, y, true);
        if (log < static_cast<size_t>(names.size())) m_curves[log]->setName(names[static_cast<qsizetype>(log)]);
        if (!x.isEmpty()) shown << m_curves[log];
    }
    setEmptyText(task == nullptr             ? tr("Choose a task: how its best time fell in each log is shown here.")
                 : m_axis == ChartAxis::Time ? tr("The timestamps do not tell how long the searches of this task took.")
                                             : tr("No log has a time of this task."));
    setEmpty(shown.isEmpty());
    if (shown.isEmpty()) {
        least = most = 1e-3;
        end = 1;
    }
    setDataRange(rangeWithMargin(0, std::max(end, 1.0), false), rangeWithMargin(least, most, true, 0.12));
    showLegend(shown);
    recolor();
    zoomToFit();
    replotSoon();
}

int BestCurves::curves() const {
    return static_cast<int>(
        std::count_if(m_curves.begin(), m_curves.end(), [](const QCPGraph *curve) { return curve->dataCount() > 0; }));
}

void BestCurves::recolor() {
    for (size_t log = 0; log < m_curves.size(); ++log) {
        // Logs that stand on each other are told apart by more than colour.
        const Qt::PenStyle style = log == 0 ? Qt::SolidLine : log % 2 == 1 ? Qt::DashLine : Qt::DotLine;
        const QColor color = m_colors.series(static_cast<int>(log));
        m_curves[log]->setPen(QPen(color, 2, style));
        m_bests[log]->setPen(QPen(color)); // of the dot
        m_bests[log]->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, color, color, 7));
    }
}

QString BestCurves::hoverAt(const QPointF &pixel) const {
    const double at = xAxis->pixelToCoord(pixel.x());
    QStringList lines;
    for (const QCPGraph *curve : m_curves) {
        double best = 0;
        for (const auto &point : *curve->data())
            if (point.key <= at) best = point.value;
        if (best > 0) lines << QStringLiteral("%1: %2").arg(curve->name().toHtmlEscaped(), timeText(best));
    }
    if (lines.isEmpty()) return {};
    lines.prepend(m_axis == ChartAxis::Trials
                      ? tr("after %1").arg(trialCountText(static_cast<size_t>(std::max(0.0, at))))
                      : tr("after %1").arg(durationText(at)));
    return lines.join(QStringLiteral("<br>"));
}

QString BestCurves::table() const {
    QString csv = m_axis == ChartAxis::Trials ? QStringLiteral("log,trial,best seconds\n")
                                              : QStringLiteral("log,seconds since the first record,best seconds\n");
    for (const QCPGraph *curve : m_curves)
        for (const auto &point : *curve->data())
            csv += QStringLiteral("\"%1\",%2,%3\n")
                       .arg(curve->name().replace(u'"', QStringLiteral("\"\"")))
                       .arg(point.key, 0, 'g', 9)
                       .arg(point.value, 0, 'g', 9);
    return csv;
}

} // namespace loopscope
