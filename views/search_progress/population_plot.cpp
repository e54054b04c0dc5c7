#include "views/search_progress/population_plot.h"

#include "views/search_progress/round_choice.h"
#include "views/search_progress/round_scores.h"
#include "views/session/text.h"
#include "views/trial_plots/trial_tip.h"

#include <QLabel>

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {
constexpr int kPopulationSoon = 200; // ms
constexpr double kHalfWidth = 0.42;  // of the distance between generations
} // namespace

PopulationPlot::PopulationPlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent)
    : TrialPlot(QStringLiteral("Population"), data, theme, settings, parent),
      m_round(
          new RoundChoice({QStringLiteral("latest round")}, QStringLiteral("The round whose generations are shown"))),
      m_sampled(new QLabel), m_descent(new QLabel) {
    addControl(m_round);
    m_sampled->setWordWrap(true);
    m_sampled->hide();
    m_descent->setWordWrap(true);
    m_descent->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_descent->hide();
    body()->insertWidget(0, m_sampled);
    body()->addWidget(m_descent);
    Plot &p = plot();
    p.setTitles(QStringLiteral("generation"), QStringLiteral("predicted score"));
    m_best = p.addGraph();
    m_best->setName(QStringLiteral("best"));
    m_median = p.addGraph();
    m_median->setName(QStringLiteral("median"));
    m_picked = p.addGraph();
    m_picked->setName(QStringLiteral("measured"));
    m_picked->setLineStyle(QCPGraph::lsNone);
    m_lineage = p.addGraph();
    m_lineage->setName(QStringLiteral("descent of the selected trial"));
    m_layer = &addLayer(p.xAxis, p.yAxis);
    p.setEmptyText(QStringLiteral("The scores of every generation are shown here while a search evolves them."));
    p.showLegend({m_best, m_median, m_picked, m_lineage});
    m_soon.setSingleShot(true);
    m_soon.setInterval(kPopulationSoon);
    connect(&m_soon, &QTimer::timeout, this, [this] { draw(); });
    connect(m_round, &QComboBox::currentIndexChanged, this, [this] {
        draw();
        plot().zoomToFit();
    });
    rebuild();
}

void PopulationPlot::rebuild() {
    m_round->follow(data().document);
    draw();
}

void PopulationPlot::updateRounds() {
    if (!m_soon.isActive()) m_soon.start();
}
void PopulationPlot::addTrials(int) { updateRounds(); }

void PopulationPlot::fillRounds() {
    const auto &rounds = data().document->rounds;
    for (auto i = static_cast<size_t>(m_round->rounds()); i < rounds.size(); ++i) m_round->add(rounds[i].round);
}

const RoundInfo *PopulationPlot::shownRound() const {
    const auto *document = data().document;
    if (!document || document->rounds.empty()) return nullptr;
    const int chosen = m_round->chosen();
    if (chosen >= 0 && static_cast<size_t>(chosen) < document->rounds.size())
        return &document->rounds[static_cast<size_t>(chosen)];
    // The newest that has something to show: sampling takes a moment.
    for (auto round = document->rounds.rbegin(); round != document->rounds.rend(); ++round)
        if (!round->generations.empty()) return &*round;
    return &document->rounds.back();
}

void PopulationPlot::draw() {
    m_soon.stop();
    if (data().document) fillRounds();
    Plot &p = plot();
    for (QCPCurve *curve : m_violins) p.removePlottable(curve);
    m_violins.clear();
    for (QCPGraph *graph : {m_best, m_median, m_picked, m_lineage}) graph->data()->clear();
    m_layer->cloud.clear();
    const RoundInfo *round = shownRound();
    p.setEmpty(!round || round->generations.empty());
    m_sampled->setVisible(round && round->sampled);
    if (!round) {
        updateSelection();
        p.replotSoon();
        return;
    }
    if (round->sampled) {
        const auto &sampled = *round->sampled;
        const auto lost = refusalsOf(*round);
        QString text = QStringLiteral("Round %1: %2 of %3 sampled schedules were valid.")
                           .arg(round->round)
                           .arg(sampled.valid)
                           .arg(sampled.attempts);
        if (lost.children > 0)
            text += QStringLiteral(" %1 of %2 children were not%3.")
                        .arg(lost.children)
                        .arg(lost.bred)
                        .arg(lost.mostFrequent.isEmpty() ? QString()
                                                         : QStringLiteral(", most often: ") + lost.mostFrequent);
        m_sampled->setText(text);
        m_sampled->setToolTip(lost.all.join(QLatin1Char('\n')));
    }
    double least = qInf();
    double most = -qInf();
    int first = std::numeric_limits<int>::max();
    int last = 0;
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const size_t every = 1 + round->generations.size() / 12;
    for (size_t i = 0; i < round->generations.size(); ++i) {
        const auto &generation = round->generations[i];
        const double at = generation.generation;
        first = std::min(first, generation.generation);
        last = std::max(last, generation.generation);
        const auto bins = generation.scores.bins();
        if (!bins.empty()) {
            auto *curve = new QCPCurve(p.xAxis, p.yAxis);
            for (const auto &point : violin(bins, at, kHalfWidth)) curve->addData(point.x, point.y);
            m_violins.push_back(curve);
            least = std::min(least, bins.front().lower);
            most = std::max(most, bins.back().upper);
        }
        if (std::isfinite(generation.best)) m_best->addData(at, generation.best);
        if (std::isfinite(generation.median)) m_median->addData(at, generation.median);
        if (i % every == 0)
            ticker->addTick(at,
                            generation.invalid == 0
                                ? QString::number(generation.generation)
                                : QStringLiteral("%1\n%2 invalid").arg(generation.generation).arg(generation.invalid));
    }
    p.xAxis->setTicker(ticker);
    // Lines over the violins, points over the lines.
    for (QCPCurve *curve : m_violins) curve->setLayer(QStringLiteral("grid"));
    const auto &trials = data().document->trials;
    for (size_t i = 0; i < trials.size(); ++i) {
        const auto &entry = trials[i];
        if (entry.round != round->round || !std::isfinite(entry.predicted) || entry.generation < 0) continue;
        m_picked->addData(entry.generation, entry.predicted);
        m_layer->cloud.add({double(entry.generation), entry.predicted, static_cast<int>(i)});
        least = std::min<double>(least, entry.predicted);
        most = std::max<double>(most, entry.predicted);
        first = std::min(first, entry.generation);
        last = std::max(last, entry.generation);
    }
    if (first > last) first = last;
    p.setDataRange(QCPRange(first - 0.6, last + 0.6), rangeWithMargin(least, most, false));
    applyColors();
    updateSelection();
    p.replotSoon();
}

void PopulationPlot::updateSelection() {
    TrialPlot::updateSelection();
    m_lineage->data()->clear();
    const auto *document = data().document;
    const int trial = data().selected;
    QString descent;
    if (document && trial >= 0 && static_cast<size_t>(trial) < document->trials.size()) {
        const auto &entry = document->trials[static_cast<size_t>(trial)];
        descent = descentText(entry, trial);
        const RoundInfo *round = shownRound();
        // Scores are comparable within a round only.
        if (round && entry.round == round->round)
            for (const auto &step : descentOf(entry))
                if (step.round == entry.round && std::isfinite(step.score))
                    m_lineage->addData(step.generation, step.score);
    }
    m_descent->setText(descent);
    m_descent->setToolTip(descent);
    m_descent->setVisible(!descent.isEmpty());
    plot().replotSoon();
}

QString PopulationPlot::table() const { return data().document ? generationTable(data().document->rounds) : QString(); }

void PopulationPlot::applyColors() {
    TrialPlot::applyColors();
    using Style = QCPScatterStyle;
    QColor body = theme().color(Role::Series0);
    body.setAlphaF(theme().dark() ? 0.35F : 0.22F);
    for (QCPCurve *curve : m_violins) {
        curve->setPen(QPen(Qt::NoPen));
        curve->setBrush(body);
    }
    m_best->setPen(QPen(theme().color(Role::Good), 2));
    m_best->setScatterStyle(Style(Style::ssDisc, theme().color(Role::Good), 5));
    m_median->setPen(QPen(theme().color(Role::Series0), 1.5, Qt::DashLine));
    m_median->setScatterStyle(Style(Style::ssDisc, theme().color(Role::Series0), 4));
    const double size = pointSize(0);
    m_picked->setScatterStyle(
        Style(Style::ssCircle, QPen(theme().color(Role::Base), 0.8), theme().color(Role::Series1), size));
    m_lineage->setPen(QPen(theme().color(Role::Series3), 2));
    m_lineage->setScatterStyle(
        Style(Style::ssSquare, QPen(theme().color(Role::Series3), 1.5), theme().color(Role::Base), size));
    QPalette palette = m_descent->palette();
    palette.setColor(QPalette::WindowText, theme().color(Role::QuietText));
    m_descent->setPalette(palette);
    m_sampled->setPalette(palette);
}

} // namespace loopscope
