#include "views/search_progress/prediction_plot.h"

#include "views/plot/quantity_ticker.h"
#include "views/search_progress/round_choice.h"
#include "views/session/text.h"

#include <QLabel>

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {
constexpr int kPredictionSoon = 200; // ms
constexpr int kLatest = 0;           // what stands in front of the rounds
constexpr int kAll = 1;
} // namespace

PredictionPlot::PredictionPlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent)
    : TrialPlot(QStringLiteral("Predicted and measured"), data, theme, settings, parent),
      m_round(new RoundChoice({QStringLiteral("latest round"), QStringLiteral("all rounds")},
                              QStringLiteral("The round that stands out; scores are comparable within a round"))),
      m_quality(new QLabel), m_strip(new QCPAxisRect(&plot())) {
    addControl(m_round);
    m_quality->setWordWrap(true);
    m_quality->hide();
    body()->insertWidget(0, m_quality);
    Plot &p = plot();
    p.setTitles(QStringLiteral("predicted score"), QStringLiteral("speed, % of best"));
    p.setQuantities(Quantity::Number, Quantity::Percent);
    p.plotLayout()->addElement(1, 0, m_strip);
    p.plotLayout()->setRowSpacing(2);
    m_strip->setupFullAxesBox(false);
    m_strip->axis(QCPAxis::atTop)->setVisible(false);
    m_strip->axis(QCPAxis::atRight)->setVisible(false);
    auto *together = new QCPMarginGroup(&p);
    for (QCPAxisRect *rect : {p.axisRect(), m_strip}) rect->setMarginGroup(QCP::msLeft | QCP::msRight, together);
    setQuantity(m_strip->axis(QCPAxis::atBottom), Quantity::Count);
    setQuantity(m_strip->axis(QCPAxis::atLeft), Quantity::Percent);
    p.setTitle(m_strip->axis(QCPAxis::atBottom), QStringLiteral("pairs ranked right, by round"));
    m_other = p.addGraph();
    m_other->setName(QStringLiteral("other rounds"));
    m_chosen = p.addGraph();
    m_chosen->setName(QStringLiteral("this round"));
    m_failed = p.addGraph();
    m_failed->setName(QStringLiteral("failed"));
    for (QCPGraph *graph : {m_other, m_chosen, m_failed}) graph->setLineStyle(QCPGraph::lsNone);
    m_ranks = p.addGraph(m_strip->axis(QCPAxis::atBottom), m_strip->axis(QCPAxis::atLeft));
    m_layer = &addLayer(p.xAxis, p.yAxis);
    p.showLegend({m_chosen, m_other, m_failed});
    m_soon.setSingleShot(true);
    m_soon.setInterval(kPredictionSoon);
    connect(&m_soon, &QTimer::timeout, this, [this] { draw(); });
    connect(m_round, &QComboBox::currentIndexChanged, this, [this] {
        draw();
        plot().zoomToFit();
    });
    rebuild();
}

void PredictionPlot::rebuild() {
    m_round->follow(data().document);
    draw();
}

void PredictionPlot::addTrials(int) {
    if (!m_soon.isActive()) m_soon.start();
}
void PredictionPlot::updateReferences() {
    if (!m_soon.isActive()) m_soon.start();
}

void PredictionPlot::draw() {
    m_soon.stop();
    const auto points = data().document ? predictedTrials(data().document->trials) : std::vector<PredictedTrial>{};
    int latest = 0;
    for (const auto &point : points) latest = std::max(latest, point.round);
    while (m_round->rounds() < latest) m_round->add(m_round->rounds() + 1);
    const bool all = m_round->currentIndex() == kAll;
    const int chosen = m_round->currentIndex() == kLatest ? latest : m_round->chosen() + 1;
    m_layer->cloud.clear();
    m_layer->cloud.reserve(points.size());
    QVector<double> x[3];
    QVector<double> y[3];
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const auto &point : points) {
        const int kind = point.failed ? 2 : all || point.round == chosen ? 1 : 0;
        x[kind] << point.predicted;
        y[kind] << point.measured;
        least = std::min(least, point.predicted);
        most = std::max(most, point.predicted);
    }
    auto sorted = points;
    std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.predicted < b.predicted; });
    for (const auto &point : sorted) m_layer->cloud.add({point.predicted, point.measured, point.trial});
    m_other->setData(x[0], y[0]);
    m_chosen->setData(x[1], y[1]);
    m_failed->setData(x[2], y[2]);
    m_chosen->setName(all ? QStringLiteral("valid") : QStringLiteral("round %1").arg(chosen));

    const auto quality = data().document ? rankQuality(data().document->trials) : std::vector<RankQuality>{};
    QVector<double> rounds;
    QVector<double> shares;
    double sum = 0;
    double weight = 0;
    QString ofChosen;
    for (const auto &round : quality) {
        if (round.ranksRight < 0) continue;
        rounds << round.round;
        shares << round.ranksRight;
        sum += round.ranksRight * round.trials;
        weight += round.trials;
        if (round.round == chosen)
            ofChosen =
                QStringLiteral("Round %1: %2 of pairs ranked right. ").arg(chosen).arg(percentText(round.ranksRight));
    }
    m_ranks->setData(rounds, shares, true);
    m_strip->axis(QCPAxis::atBottom)->setRange(0.5, std::max(2., rounds.isEmpty() ? 2. : rounds.back() + 0.5));
    const double worst = shares.isEmpty() ? 0.5 : *std::min_element(shares.begin(), shares.end());
    m_strip->axis(QCPAxis::atLeft)->setRange(std::max(0., std::min(0.5, worst) - 0.05), 1.05);
    layOutStrip();
    m_quality->setText(weight > 0 ? QStringLiteral("%1All rounds: %2 (half would be guessing).")
                                        .arg(all ? QString() : ofChosen, percentText(sum / weight))
                                  : QString());
    m_quality->setVisible(weight > 0);
    const QString untimed = whyNoTimes(data().series);
    plot().setEmptyText(!untimed.isEmpty() ? untimed
                                           : QStringLiteral("What the cost model predicted is compared here with what "
                                                            "was measured, as soon as a search has measured trials."));
    plot().setEmpty(points.empty() || !untimed.isEmpty());
    plot().setDataRange(rangeWithMargin(least, most, false), QCPRange(-0.06, 1.08));
    applyColors();
    updateSelection();
    plot().replotSoon();
}

/// The strip is the smaller part, and goes where there is not room for two.
void PredictionPlot::layOutStrip() {
    Plot &p = plot();
    const double line = QFontMetricsF(font()).height();
    const bool room = p.height() >= 17 * line;
    const int height = static_cast<int>(std::min(line * 5.5, p.height() * 0.3));
    m_strip->setMinimumSize(10, height);
    m_strip->setMaximumSize(QWIDGETSIZE_MAX, height);
    if (room == (m_strip->layout() != nullptr)) return;
    if (room) {
        p.plotLayout()->addElement(p.plotLayout()->rowCount(), 0, m_strip);
    } else {
        p.plotLayout()->take(m_strip);
        p.plotLayout()->simplify();
    }
    m_strip->setVisible(room && !p.empty());
    m_ranks->setVisible(room);
    p.applyTheme(); // it may have changed meanwhile
}

void PredictionPlot::resizeEvent(QResizeEvent *event) {
    TrialPlot::resizeEvent(event);
    layOutStrip();
}

void PredictionPlot::applyColors() {
    TrialPlot::applyColors();
    using Style = QCPScatterStyle;
    const size_t count = m_layer ? m_layer->cloud.points().size() : 0;
    const double size = pointSize(count);
    QColor strong = theme().color(Role::Series0);
    strong.setAlphaF(0.8F);
    QColor faded = theme().color(Role::QuietText);
    faded.setAlphaF(0.28F);
    for (QCPGraph *graph : {m_other, m_chosen}) graph->setPen(QPen(Qt::NoPen));
    m_other->setScatterStyle(Style(pointShape(count), QPen(Qt::NoPen), faded, size * 0.8));
    m_chosen->setScatterStyle(Style(pointShape(count), QPen(Qt::NoPen), strong, size));
    m_failed->setScatterStyle(Style(Style::ssCross, QPen(theme().color(Role::Bad), 1.3), Qt::NoBrush, size));
    QPalette palette = m_quality->palette();
    palette.setColor(QPalette::WindowText, theme().color(Role::QuietText));
    m_quality->setPalette(palette);
    m_ranks->setPen(QPen(theme().color(Role::Series2), 1.5));
    constexpr int kDotted = 60; // rounds whose dots do not run together
    m_ranks->setScatterStyle(m_ranks->data()->size() > kDotted ? Style(Style::ssNone)
                                                               : Style(Style::ssDisc, theme().color(Role::Series2), 4));
}

} // namespace loopscope
