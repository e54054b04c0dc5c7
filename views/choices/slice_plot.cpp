#include "views/choices/slice_plot.h"

#include "views/choices/parallel_plot.h"
#include "views/session/text.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

/// Beside one another where many chose the same, the same every time.
double aside(int trial) {
    return static_cast<double>((static_cast<uint32_t>(trial) * 2246822519U) >> 16U) / 65536.0 * 0.5 - 0.25;
}

} // namespace

SlicePlot::SlicePlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent)
    : TrialPlot(tr("One choice"), data, theme, settings, parent) {
    Plot &p = plot();
    p.setQuantities(Quantity::Number, Quantity::Percent);
    m_points = p.addGraph();
    m_points->setLineStyle(QCPGraph::lsNone);
    m_points->setName(tr("trial"));
    m_best = p.addGraph();
    m_best->setName(tr("best of each value"));
    m_layer = &addLayer(p.xAxis, p.yAxis);
    p.xAxis->setSubTicks(false);
    p.showLegend({m_points, m_best});
    rebuild();
}

void SlicePlot::setChoice(const WeighedChoicesPtr &choices, int choice) {
    const bool other = choice != m_choice;
    m_choices = choices;
    m_choice = choices ? choice : -1;
    rebuild();
    if (other) plot().zoomToFit();
}

void SlicePlot::rebuild() {
    Plot &p = plot();
    m_layer->cloud.clear();
    QVector<double> x;
    QVector<double> y;
    QVector<double> places;
    QVector<double> best;
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    size_t count = 1;
    double slowest = 1;
    if (m_choice >= 0) {
        const auto number = static_cast<size_t>(m_choice);
        const Choice &choice = m_choices->table.choices[number];
        const ChoiceAxis &axis = m_choices->axes[number];
        count = axis.places();
        const std::vector<double> speed = speedShares(data().document, m_choices->trials);
        std::vector<double> most(count, 0.0);
        for (size_t i = 0; i < speed.size(); ++i) {
            if (speed[i] <= 0) continue;
            const int place = axis.placeOf[i];
            const double at = place + aside(static_cast<int>(i));
            x << at;
            y << speed[i];
            m_layer->cloud.add({at, speed[i], static_cast<int>(i)});
            most[static_cast<size_t>(place)] = std::max(most[static_cast<size_t>(place)], speed[i]);
            slowest = std::min(slowest, speed[i]);
        }
        const size_t apart = std::max<size_t>(1, (count + 15) / 16);
        for (size_t place = 0; place < count; ++place) {
            if (place % apart == 0)
                ticker->addTick(static_cast<double>(place), qt(choice.valueText(axis.values[place])));
            if (most[place] <= 0) continue; // all of them failed
            places << static_cast<double>(place);
            best << most[place];
        }
        p.setTitles(qt(choice.name), tr("speed, % of best"));
    }
    m_points->setData(x, y);
    m_best->setData(places, best, true);
    p.xAxis->setTicker(ticker);
    p.setEmptyText(m_choice >= 0 && noneTimed(data().document)
                       ? tr("How fast trials are by what they chose there: nothing was timed.")
                       : tr("Choose a line of the list: how fast the trials are by what they chose there."));
    p.setEmpty(x.isEmpty());
    p.setDataRange(QCPRange(-0.6, static_cast<double>(count) - 0.4), rangeWithMargin(std::min(slowest, 0.5), 1, false));
    applyColors();
    updateSelection();
    p.replotSoon();
}

void SlicePlot::applyColors() {
    TrialPlot::applyColors();
    const auto points = static_cast<size_t>(m_points->dataCount());
    QColor fill = theme().color(Role::Series0);
    fill.setAlphaF(0.6F);
    m_points->setScatterStyle(QCPScatterStyle(pointShape(points), Qt::NoPen, fill, pointSize(points)));
    m_best->setPen(QPen(theme().color(Role::Accent), 2));
    m_best->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(theme().color(Role::Accent)), theme().color(Role::Base), 9));
}

QString SlicePlot::table() const { return choiceTableText(m_choices, data().document); }

} // namespace loopscope
