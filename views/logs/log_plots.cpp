#include "views/logs/log_plots.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {
constexpr double kReach = 8; // pixels
} // namespace

CoursePlot::CoursePlot(Theme &theme, QWidget *parent) : Plot(theme, parent), m_colors(theme) {
    setObjectName(QStringLiteral("course"));
    setAccessibleName(tr("Times of the records in their order"));
    setTitles(tr("record"), tr("time"));
    setQuantities(Quantity::Count, Quantity::Seconds, false, true);
    m_valid = addGraph();
    m_valid->setLineStyle(QCPGraph::lsNone);
    m_valid->setPen(QPen(Qt::NoPen)); // else each point has an outline of its own colour
    m_valid->setName(tr("record"));
    m_failed = addGraph();
    m_failed->setLineStyle(QCPGraph::lsNone);
    m_failed->setName(tr("failed"));
    m_best = addGraph();
    m_best->setLineStyle(QCPGraph::lsStepLeft);
    m_best->setName(tr("best so far"));
    m_mark = addGraph();
    m_mark->setLineStyle(QCPGraph::lsNone);
    m_mark->setName(tr("shown"));
    showLegend({m_valid, m_best, m_failed});
    setHover([this](const QPointF &pixel) {
        const int record = recordAt(pixel);
        if (record < 0) return QString();
        for (const auto *list : {&m_findings->valid, &m_findings->failedAt})
            for (const auto &point : *list)
                if (point.record == static_cast<uint32_t>(record))
                    return point.seconds > 0 ? tr("record %1: %2").arg(point.number).arg(timeText(point.seconds))
                                             : tr("record %1 failed").arg(point.number);
        return QString();
    });
    setTable([this] { return table(); });
    connect(this, &Plot::themeApplied, this, &CoursePlot::recolor);
    connect(this, &Plot::clicked, this, [this](const QPointF &pixel) {
        const int record = recordAt(pixel);
        if (record >= 0) Q_EMIT recordClicked(static_cast<uint32_t>(record));
    });
    setFindings(nullptr);
}

void CoursePlot::setFindings(const TaskFindingsPtr &findings) {
    const bool other = !m_findings || !findings || m_findings->task != findings->task;
    m_findings = findings;
    m_cloud.clear();
    QVector<double> x;
    QVector<double> y;
    QVector<double> bestX;
    QVector<double> bestY;
    QVector<double> failedX;
    QVector<double> failedY;
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    if (findings) {
        for (const auto &point : findings->valid) {
            x << point.number;
            y << point.seconds;
            least = std::min(least, point.seconds);
            most = std::max(most, point.seconds);
            m_cloud.add({point.number, point.seconds, static_cast<int>(point.record)});
        }
        for (const auto &point : findings->best) {
            bestX << point.number;
            bestY << point.seconds;
        }
        if (!bestX.isEmpty()) {
            bestX << static_cast<double>(findings->records);
            bestY << bestY.back();
        }
    }
    if (most <= 0) { // all failed, or nothing is there
        least = 1e-3;
        most = 1e-3;
    }
    const QCPRange rangeY = rangeWithMargin(least, most, true, 0.12);
    m_failedAt = rangeY.upper * 0.97;
    if (findings)
        for (const auto &point : findings->failedAt) { // along the upper edge
            failedX << point.number;
            failedY << m_failedAt;
            m_cloud.add({point.number, m_failedAt, static_cast<int>(point.record)});
        }
    m_valid->setData(x, y, true);
    m_best->setData(bestX, bestY, true);
    m_failed->setData(failedX, failedY, true);
    setEmptyText(findings && findings->untimed > 0 ? tr("The records of this task are right, and none was timed.")
                                                   : tr("Choose a task: the times of its records are shown here."));
    setEmpty(x.isEmpty() && failedX.isEmpty());
    setDataRange(rangeWithMargin(1, std::max(1.0, findings ? static_cast<double>(findings->records) : 1.0), false),
                 rangeY);
    recolor();
    mark(m_marked, m_markedSeconds);
    if (other) zoomToFit();
    replotSoon();
}

void CoursePlot::mark(size_t record, double seconds) {
    m_marked = record;
    m_markedSeconds = seconds;
    QVector<double> x;
    QVector<double> y;
    if (m_findings) {
        const std::vector<uint32_t> &all = m_findings->all;
        const auto found = std::lower_bound(all.begin(), all.end(), record);
        if (found != all.end() && *found == record) {
            x << static_cast<double>(found - all.begin()) + 1;
            y << (std::isfinite(seconds) ? seconds : m_failedAt);
        }
    }
    m_mark->setData(x, y, true);
    replotSoon();
}

int CoursePlot::recordAt(const QPointF &pixel) const {
    const CloudPoint *point = m_cloud.nearest(
        pixel, kReach,
        [this](const CloudPoint &p) { return QPointF(xAxis->coordToPixel(p.x), yAxis->coordToPixel(p.y)); },
        [this](double at) { return xAxis->pixelToCoord(at); });
    return point == nullptr ? -1 : point->id;
}

void CoursePlot::recolor() {
    QColor fill = m_colors.color(Role::Series0);
    fill.setAlphaF(0.6F);
    const double size = m_valid->dataCount() > 1000 ? 3 : 6;
    m_valid->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(Qt::NoPen), fill, size));
    m_best->setPen(QPen(m_colors.color(Role::Accent), 2));
    m_failed->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCross, QPen(m_colors.color(Role::Bad)), Qt::NoBrush, 6));
    m_mark->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(m_colors.color(Role::Text), 2), Qt::NoBrush, 12));
}

QString CoursePlot::table() const {
    QString csv = QStringLiteral("record,seconds,best so far\n");
    if (!m_findings) return csv;
    size_t best = 0;
    for (const auto &point : m_findings->valid) {
        while (best + 1 < m_findings->best.size() && m_findings->best[best + 1].number <= point.number) ++best;
        csv += QStringLiteral("%1,%2,%3\n")
                   .arg(point.number)
                   .arg(point.seconds, 0, 'g', 9)
                   .arg(m_findings->best[best].seconds, 0, 'g', 9);
    }
    return csv;
}

TimesPlot::TimesPlot(Theme &theme, QWidget *parent) : Plot(theme, parent), m_colors(theme) {
    setObjectName(QStringLiteral("times"));
    setAccessibleName(tr("How often which time was measured"));
    setTitles(tr("time"), tr("records"));
    setQuantities(Quantity::Seconds, Quantity::Count, true, false);
    m_bins = addGraph();
    m_bins->setLineStyle(QCPGraph::lsStepLeft);
    setEmptyText(tr("Choose a task with times: how they are distributed is shown here."));
    setTable([this] {
        QString csv = QStringLiteral("from seconds,to seconds,records\n");
        if (m_findings)
            for (const auto &bin : m_findings->bins)
                csv += QStringLiteral("%1,%2,%3\n").arg(bin.from, 0, 'g', 9).arg(bin.to, 0, 'g', 9).arg(bin.records);
        return csv;
    });
    setHover([this](const QPointF &pixel) {
        if (!m_findings) return QString();
        const double seconds = xAxis->pixelToCoord(pixel.x());
        for (const auto &bin : m_findings->bins)
            if (seconds >= bin.from && seconds < bin.to)
                return tr("%1 of %2 to %3")
                    .arg(countedText(bin.records, "record"), timeText(bin.from), timeText(bin.to));
        return QString();
    });
    connect(this, &Plot::themeApplied, this, &TimesPlot::recolor);
    setFindings(nullptr);
}

void TimesPlot::setFindings(const TaskFindingsPtr &findings) {
    const bool other = !m_findings || !findings || m_findings->task != findings->task;
    m_findings = findings;
    QVector<double> x;
    QVector<double> y;
    size_t most = 1;
    if (findings && !findings->bins.empty()) {
        x << findings->bins.front().from;
        y << 0;
        for (const auto &bin : findings->bins) {
            x << bin.from;
            y << static_cast<double>(bin.records);
            most = std::max(most, bin.records);
        }
        x << findings->bins.back().to;
        y << 0;
    }
    m_bins->setData(x, y, true);
    setEmpty(x.isEmpty());
    setDataRange(x.isEmpty() ? QCPRange(1e-3, 1) : rangeWithMargin(x.front(), x.back(), true),
                 QCPRange(0, static_cast<double>(most) * 1.08));
    recolor();
    if (other) zoomToFit();
    replotSoon();
}

void TimesPlot::recolor() {
    QColor fill = m_colors.color(Role::Series0);
    m_bins->setPen(QPen(fill, 1));
    fill.setAlphaF(0.35F);
    m_bins->setBrush(fill);
}

} // namespace loopscope
