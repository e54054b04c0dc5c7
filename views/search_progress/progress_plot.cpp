#include "views/search_progress/progress_plot.h"

#include "views/plot/quantity_ticker.h"
#include "views/session/text.h"

#include <QComboBox>

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {
constexpr const char *kNothingYet = "A trial appears here once it is measured; while others disturb the timing, trials "
                                    "are held back to be timed again.";
}

ProgressPlot::ProgressPlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent)
    : TrialPlot(QStringLiteral("Progress"), data, theme, settings, parent),
      m_y(addChoice({QStringLiteral("GFLOP/s"), QStringLiteral("Time")}, QStringLiteral("search/progress_y"), 0,
                    QStringLiteral("What the height of a point is"))),
      m_x(addChoice({QStringLiteral("by trial"), QStringLiteral("by search time")}, QStringLiteral("search/progress_x"),
                    0, QStringLiteral("What stands from left to right"))),
      m_scale(addChoice({QStringLiteral("linear"), QStringLiteral("logarithmic")},
                        QStringLiteral("search/progress_scale"), 0, QStringLiteral("Scale of the height"))),
      m_strip(new QCPAxisRect(&plot())), m_naive(&plot(), plot().xAxis, plot().yAxis),
      m_peak(&plot(), plot().xAxis, plot().yAxis) {
    Plot &p = plot();
    p.plotLayout()->addElement(1, 0, m_strip);
    p.plotLayout()->setRowSpacing(0);
    m_strip->setupFullAxesBox(false);
    m_strip->setAutoMargins(QCP::msLeft | QCP::msRight | QCP::msBottom);
    m_strip->setMargins(QMargins(0, 0, 0, 0));
    p.axisRect()->setAutoMargins(QCP::msLeft | QCP::msRight | QCP::msTop);
    p.axisRect()->setMargins(QMargins(0, 0, 0, 3));
    auto *together = new QCPMarginGroup(&p);
    for (QCPAxisRect *rect : {p.axisRect(), m_strip}) rect->setMarginGroup(QCP::msLeft | QCP::msRight, together);
    QCPAxis *rows = m_strip->axis(QCPAxis::atLeft);
    QCPAxis *along = m_strip->axis(QCPAxis::atBottom);
    // The strip stands between the plot and its x axis, and wears the labels of both.
    for (QCPAxis *axis : m_strip->axes()) {
        axis->grid()->setVisible(false);
        if (axis != along) axis->setVisible(false);
    }
    p.xAxis->setTickLabels(false);
    p.xAxis->setTicks(false);
    connect(p.xAxis, qOverload<const QCPRange &>(&QCPAxis::rangeChanged), along,
            [along](const QCPRange &range) { along->setRange(range); });
    m_points = p.addGraph();
    m_points->setLineStyle(QCPGraph::lsNone);
    m_points->setName(QStringLiteral("trial"));
    m_best = p.addGraph();
    m_best->setLineStyle(QCPGraph::lsStepLeft);
    m_best->setName(QStringLiteral("best so far"));
    m_winner = p.addGraph();
    m_winner->setLineStyle(QCPGraph::lsNone);
    m_winner->setName(QStringLiteral("best"));
    m_doubtful = p.addGraph();
    m_doubtful->setLineStyle(QCPGraph::lsNone);
    m_doubtful->setName(QStringLiteral("not confirmed"));
    m_validLayer = &addLayer(p.xAxis, p.yAxis);
    m_failedLayer = &addLayer(along, rows);
    p.showLegend({m_points, m_best, m_winner});
    connect(&p, &QCustomPlot::beforeReplot, this, [this] {
        m_naive.place(0, !speed());
        m_peak.place(m_naive.level() > plot().yAxis->range().upper ? 1 : 0, !speed());
    });
    p.applyTheme();
    rebuild();
}

bool ProgressPlot::speed() const { return m_y->currentIndex() == 0 && data().document && data().document->flops() > 0; }
bool ProgressPlot::byTrial() const { return m_x->currentIndex() == 0; }
bool ProgressPlot::logarithmic() const { return m_scale->currentIndex() == 1; }
double ProgressPlot::xOf(int trial, double elapsed) const { return byTrial() ? trial + 1 : elapsed; }
double ProgressPlot::yOf(double seconds, double gflops) const { return speed() ? gflops : seconds; }

void ProgressPlot::rebuild() {
    Plot &p = plot();
    p.setQuantities(byTrial() ? Quantity::Count : Quantity::Duration, speed() ? Quantity::Gflops : Quantity::Seconds,
                    false, logarithmic());
    setQuantity(m_failedLayer->x, byTrial() ? Quantity::Count : Quantity::Duration);
    m_failedLayer->x->setLabel(byTrial() ? QStringLiteral("trial") : QStringLiteral("search time"));
    p.setTitles({}, speed() ? QStringLiteral("GFLOP/s") : QStringLiteral("time, of one run"));
    for (QCPGraph *graph : {m_points, m_doubtful, m_best, m_winner}) {
        graph->data()->clear();
        graph->data()->squeeze(); // the trials may be gone
    }
    for (auto &[kind, graph] : m_failures) p.removeGraph(graph);
    m_failures.clear();
    m_rows.clear();
    m_validLayer->cloud.clear();
    m_failedLayer->cloud.clear();
    m_valid = m_failed = m_records = 0;
    layOutStrip();
    m_least = qInf();
    m_most = -qInf();
    append();
    layOutStrip();
    updateReferences();
    TrialPlot::updateSelection();
}

void ProgressPlot::addTrials(int) {
    append();
    updateReferences();
    if (data().selected >= 0 || !data().brushed.empty()) TrialPlot::updateSelection();
}

/// What the series has more than is shown.
void ProgressPlot::append() {
    const auto &series = data().series;
    const bool sure = m_doubtful->data()->isEmpty();
    for (; m_valid < series.valid().size(); ++m_valid) {
        const auto &point = series.valid()[m_valid];
        const double x = xOf(point.trial, point.elapsed);
        const double y = yOf(point.seconds, point.gflops);
        (point.unconfirmed ? m_doubtful : m_points)->addData(x, y);
        m_validLayer->cloud.add({x, y, point.trial});
        m_least = std::min(m_least, y);
        m_most = std::max(m_most, y);
    }
    if (sure && !m_doubtful->data()->isEmpty()) nameColors();
    // The line ends at the newest trial, not at the last record.
    if (m_best->data()->size() > static_cast<int>(m_records))
        m_best->data()->remove((m_best->data()->constEnd() - 1)->key);
    for (; m_records < series.records().size(); ++m_records) {
        const auto &record = series.records()[m_records];
        m_best->addData(xOf(record.trial, record.elapsed), yOf(record.seconds, record.gflops));
    }
    if (!series.records().empty()) {
        const auto &last = series.records().back();
        const double end = xOf(series.count() - 1, series.elapsed());
        if (end > xOf(last.trial, last.elapsed)) m_best->addData(end, yOf(last.seconds, last.gflops));
    }
    const auto kinds = series.kindsSeen();
    if (kinds != m_rows) {
        m_rows = kinds;
        m_failed = 0; // the rows moved
        m_failedLayer->cloud.clear();
        for (auto &[kind, graph] : m_failures) graph->data()->clear();
        for (const auto kind : kinds) {
            auto &graph = m_failures[kind];
            if (graph) continue;
            graph = plot().addGraph(m_failedLayer->x, m_failedLayer->y);
            graph->setLineStyle(QCPGraph::lsNone);
            graph->setName(failureText(kind));
        }
        layOutStrip();
        applyColors();
    }
    for (; m_failed < series.failures().size(); ++m_failed) {
        const auto &failure = series.failures()[m_failed];
        const auto row = std::find(m_rows.begin(), m_rows.end(), failure.error) - m_rows.begin();
        const double x = xOf(failure.trial, failure.elapsed);
        const auto y = static_cast<double>(m_rows.size()) - 0.5 - static_cast<double>(row);
        m_failures[failure.error]->addData(x, y);
        m_failedLayer->cloud.add({x, y, failure.trial});
    }
    for (auto &[kind, graph] : m_failures)
        graph->setName(
            QStringLiteral("%1 (%2)").arg(failureText(kind)).arg(series.failuresByKind()[static_cast<size_t>(kind)]));
    fit();
}

void ProgressPlot::layOutStrip() {
    const double line = QFontMetricsF(font()).height() * 0.85;
    const auto rows = static_cast<double>(m_rows.size());
    const int height = m_rows.empty() ? 1 : static_cast<int>(line * rows + 4);
    m_strip->setMinimumSize(10, height);
    m_strip->setMaximumSize(QWIDGETSIZE_MAX, height);
    m_failedLayer->y->setRange(0, std::max(1., rows));
    nameColors();
}

void ProgressPlot::nameColors() {
    QList<QCPAbstractPlottable *> shown{m_points, m_best, m_winner};
    if (!m_doubtful->data()->isEmpty()) shown << m_doubtful;
    for (const auto kind : m_rows) shown << m_failures[kind];
    plot().showLegend(shown);
}

void ProgressPlot::fit() {
    const auto &series = data().series;
    const QString untimed = whyNoTimes(series);
    plot().setEmptyText(untimed.isEmpty() ? QString::fromLatin1(kNothingYet) : untimed);
    plot().setEmpty(series.count() == 0 || !untimed.isEmpty());
    const double end = byTrial() ? std::max(2, series.count()) : std::max(1., series.elapsed());
    const double margin = end * 0.02 + (byTrial() ? 0.5 : 0);
    const QCPRange x(byTrial() ? 1 - margin : -margin, end + margin);
    QCPRange y = rangeWithMargin(m_least, m_most, logarithmic(), 0.06);
    if (!logarithmic() && m_most > 0) {
        // The name of a level above the plot stands at its upper edge, over the points.
        const double line = QFontMetricsF(font()).height() * 1.6;
        const bool named = m_peak.level() > m_most || m_naive.level() > m_most;
        const double share = named ? line / std::max(line * 4, static_cast<double>(plot().axisRect()->height())) : 0;
        y = QCPRange(0, m_most * std::max(1.08, 1 / (1 - share)));
    }
    plot().setDataRange(x, y);
    applyColors();
    plot().replotSoon();
}

void ProgressPlot::updateReferences() {
    const auto *document = data().document;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const double flops = document ? document->flops() : -1;
    const double naive = document ? document->naiveSeconds : -1;
    m_naive.setLevel(naive <= 0 ? kNone
                     : speed()  ? flops / naive * 1e-9
                                : naive,
                     QStringLiteral("naive %1").arg(speed() ? gflopsText(flops / naive * 1e-9) : timeText(naive)));
    const double peak = data().peakGflops;
    m_peak.setLevel(peak <= 0 || flops <= 0 ? kNone
                    : speed()               ? peak
                                            : flops / peak * 1e-9,
                    QStringLiteral("machine peak %1").arg(speed() ? gflopsText(peak) : timeText(flops / peak * 1e-9)));
    m_winner->data()->clear();
    if (document && document->best >= 0)
        for (const auto &point : m_validLayer->cloud.points())
            if (point.id == document->best) m_winner->addData(point.x, point.y);
    fit(); // a level above the plot needs room for its name
}

void ProgressPlot::updateSelection() { TrialPlot::updateSelection(); }

void ProgressPlot::applyColors() {
    TrialPlot::applyColors();
    const double size = pointSize(data().series.valid().size());
    QColor fill = theme().color(Role::Series0);
    fill.setAlphaF(0.55F);
    using Style = QCPScatterStyle;
    m_points->setPen(QPen(Qt::NoPen));
    m_points->setScatterStyle(Style(pointShape(data().series.valid().size()), QPen(Qt::NoPen), fill, size));
    m_doubtful->setPen(QPen(Qt::NoPen));
    m_doubtful->setScatterStyle(
        Style(Style::ssCircle, QPen(theme().color(Role::Warning), 1.3), Qt::NoBrush, std::max(6.0, size)));
    m_best->setPen(QPen(theme().color(Role::Good), 2));
    m_winner->setScatterStyle(
        Style(Style::ssDiamond, QPen(theme().color(Role::Base), 1), theme().color(Role::Good), size * 1.9 + 3));
    for (auto &[kind, graph] : m_failures) {
        const auto mark = failureMark(kind);
        graph->setScatterStyle(Style(mark.shape, QPen(theme().color(mark.color), 1.3), Qt::NoBrush,
                                     std::max(6., QFontMetricsF(font()).height() * 0.5)));
    }
    m_strip->setBackground(QBrush(m_rows.empty() ? theme().color(Role::Base) : theme().color(Role::Raised)));
    m_naive.setColor(theme().color(Role::QuietText), theme().color(Role::Base));
    m_peak.setColor(theme().color(Role::Series3), theme().color(Role::Base));
}

} // namespace loopscope
