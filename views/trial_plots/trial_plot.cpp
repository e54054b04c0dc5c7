#include "views/trial_plots/trial_plot.h"

#include "views/trial_plots/trial_tip.h"

#include <QComboBox>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace loopscope {

namespace {
constexpr double kReach = 9; // pixels from the cursor to a point
constexpr size_t kMany = 1500;
} // namespace

FailureMark failureMark(TrialError error) {
    using Style = QCPScatterStyle;
    static const std::array<FailureMark, kTrialErrors> kMarks{{
        {Style::ssCircle, Role::QuietText},         // None: not used
        {Style::ssDiamond, Role::Series3},          // Instantiation
        {Style::ssSquare, Role::Series4},           // CompileHost
        {Style::ssPlusSquare, Role::Series4},       // CompileDevice
        {Style::ssCross, Role::Bad},                // RuntimeDevice
        {Style::ssTriangle, Role::Series1},         // WrongAnswer
        {Style::ssTriangleInverted, Role::Warning}, // BuildTimeout
        {Style::ssPlus, Role::Warning},             // RunTimeout
        {Style::ssStar, Role::QuietText},           // Unknown
    }};
    return kMarks[std::min(static_cast<size_t>(error), kMarks.size() - 1)];
}

TrialPlot::TrialPlot(const QString &title, const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent)
    : QWidget(parent), m_title(title), m_data(data), m_theme(theme), m_settings(settings) {
    m_body = new QVBoxLayout(this);
    m_body->setContentsMargins(0, 0, 0, 0);
    m_body->setSpacing(2);
    m_plot = new Plot(theme, this);
    m_plot->setAccessibleName(title);
    m_body->addWidget(m_plot, 1);
    m_plot->setHover([this](const QPointF &pixel) { return tipAt(pixel); });
    m_plot->setTable([this] { return table(); });
    connect(m_plot, &Plot::clicked, this, [this](const QPointF &pixel, Qt::KeyboardModifiers modifiers) {
        const int trial = trialAt(pixel);
        if (trial >= 0) Q_EMIT trialClicked(trial, modifiers);
    });
    connect(m_plot, &Plot::brushed, this, [this](const QRectF &range) {
        const auto pixel = [&](const QPointF &at) {
            return QPointF(m_plot->xAxis->coordToPixel(at.x()), m_plot->yAxis->coordToPixel(at.y()));
        };
        const QRectF pixels = QRectF(pixel(range.topLeft()), pixel(range.bottomRight())).normalized();
        std::vector<int> trials;
        for (const auto &layer : m_layers) {
            const QPointF a(layer->x->pixelToCoord(pixels.left()), layer->y->pixelToCoord(pixels.top()));
            const QPointF b(layer->x->pixelToCoord(pixels.right()), layer->y->pixelToCoord(pixels.bottom()));
            const auto inside = layer->cloud.inside(QRectF(a, b));
            trials.insert(trials.end(), inside.begin(), inside.end());
        }
        std::sort(trials.begin(), trials.end());
        trials.erase(std::unique(trials.begin(), trials.end()), trials.end());
        Q_EMIT trialsBrushed(trials);
    });
    connect(m_plot, &Plot::themeApplied, this, [this] { applyColors(); });
}

TrialPlot::Layer &TrialPlot::addLayer(QCPAxis *x, QCPAxis *y) {
    auto layer = std::make_unique<Layer>();
    layer->x = x;
    layer->y = y;
    for (QCPGraph **graph : {&layer->rings, &layer->mark}) {
        *graph = m_plot->addGraph(x, y);
        (*graph)->setLineStyle(QCPGraph::lsNone);
        (*graph)->setLayer(QStringLiteral("overlay"));
        (*graph)->setAdaptiveSampling(true);
    }
    m_layers.push_back(std::move(layer));
    return *m_layers.back();
}

double TrialPlot::pointSize(size_t points) const {
    const double base = std::max(5., QFontMetricsF(font()).height() * 0.38);
    m_plot->setNotAntialiasedElement(QCP::aeScatters, points > kMany);
    return points > kMany ? std::max(3., base * 0.62) : base;
}

QCPScatterStyle::ScatterShape TrialPlot::pointShape(size_t points) {
    // Of three pixels nobody tells a square from a disc, and a square is filled ten times as fast.
    return points > kMany ? QCPScatterStyle::ssSquare : QCPScatterStyle::ssCircle;
}

QComboBox *TrialPlot::addChoice(const QStringList &texts, const QString &settingsKey, int fallback,
                                const QString &tip) {
    auto *choice = new QComboBox;
    choice->addItems(texts);
    choice->setCurrentIndex(std::clamp(m_settings.value(settingsKey, fallback).toInt(), 0, int(texts.size()) - 1));
    choice->setToolTip(tip);
    choice->setAccessibleName(tip);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    addControl(choice);
    connect(choice, &QComboBox::currentIndexChanged, this, [this, settingsKey](int index) {
        m_settings.setValue(settingsKey, index);
        rebuild();
        m_plot->zoomToFit();
    });
    return choice;
}

QString TrialPlot::table() const { return m_data.document ? trialTable(*m_data.document) : QString(); }

void TrialPlot::applyColors() {
    for (const auto &layer : m_layers) {
        const double size = std::max(10., QFontMetricsF(font()).height() * 0.75);
        layer->rings->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(m_theme.color(Role::Accent), 1.2),
                                                      Qt::NoBrush, size * 0.8));
        layer->mark->setScatterStyle(
            QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(m_theme.color(Role::Text), 2), Qt::NoBrush, size));
    }
}

void TrialPlot::updateSelection() {
    for (const auto &layer : m_layers) {
        QVector<double> ringX;
        QVector<double> ringY;
        QVector<double> markX;
        QVector<double> markY;
        for (const auto &point : layer->cloud.points()) {
            if (point.id == m_data.selected) {
                markX << point.x;
                markY << point.y;
            }
            if (!m_data.brushed.empty() && std::binary_search(m_data.brushed.begin(), m_data.brushed.end(), point.id)) {
                ringX << point.x;
                ringY << point.y;
            }
        }
        layer->rings->setData(ringX, ringY, true);
        layer->mark->setData(markX, markY, true);
    }
    m_plot->replotOverlay();
}

int TrialPlot::trialAt(const QPointF &pixel) const {
    const CloudPoint *best = nullptr;
    double bestDistance = kReach;
    for (const auto &layer : m_layers) {
        const auto pixelOf = [&](const CloudPoint &point) {
            return QPointF(layer->x->coordToPixel(point.x), layer->y->coordToPixel(point.y));
        };
        if (!layer->x->axisRect()->rect().adjusted(-4, -4, 4, 4).contains(pixel.toPoint())) continue;
        const auto *point =
            layer->cloud.nearest(pixel, bestDistance, pixelOf, [&](double x) { return layer->x->pixelToCoord(x); });
        if (!point) continue;
        best = point;
        const QPointF away = pixelOf(*point) - pixel;
        bestDistance = std::hypot(away.x(), away.y());
    }
    return best ? best->id : -1;
}

QString TrialPlot::tipAt(const QPointF &pixel) const {
    const int trial = trialAt(pixel);
    return trial < 0 || !m_data.document ? QString() : trialTip(*m_data.document, trial, m_data.peakGflops);
}

} // namespace loopscope
