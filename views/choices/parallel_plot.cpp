#include "views/choices/parallel_plot.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

constexpr int kMaxAxes = 9; // of choices
constexpr int kLettersPerAxis = 11;
constexpr size_t kManyLines = 600;
constexpr int kLabelsPerAxis = 7;
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

/// A little up or down, the same every time, so that lines through one value can be told apart.
double jitter(int trial, size_t places) {
    const double share = static_cast<double>((static_cast<uint32_t>(trial) * 2654435761U) >> 16U) / 65536.0 - 0.5;
    return share * std::min(0.03, 0.4 / static_cast<double>(std::max<size_t>(1, places)));
}

double placeOn(const ChoiceAxis &axis, int trial) {
    const int place = axis.placeOf[static_cast<size_t>(trial)];
    return axis.places() < 2 ? 0.5 : static_cast<double>(place) / static_cast<double>(axis.places() - 1);
}

/// "conv2d_nchw" and "ff[3]": the stage and what is chosen of it.
std::pair<QString, QString> partsOf(const Choice &choice) {
    const QString name = qt(choice.name);
    const auto cut = name.lastIndexOf(choice.kind == Choice::Kind::Length ? QLatin1Char('.') : QLatin1Char(' '));
    return {name.left(cut), name.mid(cut + 1)};
}

void set(QCPCurve *curve, const std::array<QVector<double>, 2> &at) {
    QVector<double> order(at[0].size());
    for (qsizetype i = 0; i < order.size(); ++i) order[i] = static_cast<double>(i);
    curve->setData(order, at[0], at[1], true);
}

} // namespace

std::vector<double> speedShares(const Document *document, size_t trials) {
    std::vector<double> shares(trials, 0.0);
    if (document == nullptr) return shares;
    double best = std::numeric_limits<double>::infinity();
    const size_t known = std::min(trials, document->trials.size());
    for (size_t i = 0; i < known; ++i) best = std::min(best, firstSeconds(document->trials[i]));
    for (size_t i = 0; i < known; ++i)
        if (document->trials[i].valid() && std::isfinite(best)) shares[i] = best / firstSeconds(document->trials[i]);
    return shares;
}

QString choiceTableText(const WeighedChoicesPtr &choices, const Document *document) {
    QString text = QStringLiteral("trial,seconds");
    if (!choices || document == nullptr) return text + QLatin1Char('\n');
    for (const Choice &choice : choices->table.choices) text += QStringLiteral(",\"%1\"").arg(qt(choice.name));
    text += QLatin1Char('\n');
    for (size_t i = 0; i < std::min(choices->trials, document->trials.size()); ++i) {
        const TrialEntry &entry = document->trials[i];
        text += QStringLiteral("%1,%2").arg(i + 1).arg(
            entry.valid() && !entry.untimed() ? QString::number(entry.seconds()) : QString());
        for (size_t c = 0; c < choices->table.choices.size(); ++c)
            text += QStringLiteral(",\"%1\"").arg(qt(choices->table.choices[c].valueText(choices->table.values[c][i])));
        text += QLatin1Char('\n');
    }
    return text;
}

ParallelPlot::ParallelPlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent)
    : TrialPlot(tr("Choices side by side"), data, theme, settings, parent) {
    Plot &p = plot();
    const auto curve = [&](const char *layer) {
        auto *made = new QCPCurve(p.xAxis, p.yAxis);
        made->setLayer(QLatin1String(layer));
        return made;
    };
    m_uprights = curve("grid");
    for (QCPCurve *&line : m_lines) line = curve("main");
    m_brushed = curve("overlay");
    m_selected = curve("overlay");
    m_layer = &addLayer(p.xAxis, p.yAxis);
    p.setTitles({}, {});
    p.yAxis->setVisible(false);
    p.xAxis->grid()->setVisible(false);
    p.yAxis->grid()->setVisible(false);
    p.xAxis->setTicker(QSharedPointer<QCPAxisTickerText>::create());
    p.xAxis->setSubTicks(false);
    rebuild();
}

void ParallelPlot::setChoices(const WeighedChoicesPtr &choices) {
    m_choices = choices;
    chooseAxes();
    rebuild();
}

/// As many as have room for their names; whether they are others than before.
bool ParallelPlot::chooseAxes() {
    const std::vector<int> before = m_shown;
    const int room = fontMetrics().averageCharWidth() * kLettersPerAxis;
    const auto axes = static_cast<size_t>(std::clamp(plot().width() / room - 1, 2, kMaxAxes));
    m_shown.clear();
    if (m_choices)
        m_shown.assign(m_choices->order.begin(),
                       m_choices->order.begin() + static_cast<std::ptrdiff_t>(std::min(axes, m_choices->order.size())));
    return m_shown != before;
}

void ParallelPlot::rebuild() {
    m_speed = speedShares(data().document, m_choices ? m_choices->trials : 0);
    draw();
}

QPointF ParallelPlot::crossing(int trial, size_t axis) const {
    const auto x = static_cast<double>(axis);
    if (axis >= m_shown.size()) return {x, m_speed[static_cast<size_t>(trial)]};
    const ChoiceAxis &values = m_choices->axes[static_cast<size_t>(m_shown[axis])];
    return {x, placeOn(values, trial) + jitter(trial, values.places())};
}

void ParallelPlot::append(Coordinates &to, int trial) const {
    for (size_t axis = 0; axis <= m_shown.size(); ++axis) {
        const QPointF at = crossing(trial, axis);
        to[0] << at.x();
        to[1] << at.y();
    }
    to[0] << kGap;
    to[1] << kGap;
}

void ParallelPlot::draw() {
    std::array<Coordinates, kShades> lines;
    std::vector<int> valid;
    for (size_t i = 0; i < m_speed.size(); ++i)
        if (m_speed[i] > 0) valid.push_back(static_cast<int>(i));
    const bool any = !m_shown.empty() && !valid.empty();
    m_layer->cloud.clear();
    if (any) {
        // By rank, so that the shades are told apart however the times are spread; the fastest are drawn last.
        std::sort(valid.begin(), valid.end(), [&](int a, int b) {
            return std::pair(m_speed[static_cast<size_t>(a)], a) < std::pair(m_speed[static_cast<size_t>(b)], b);
        });
        for (size_t rank = 0; rank < valid.size(); ++rank) append(lines[rank * kShades / valid.size()], valid[rank]);
        m_layer->cloud.reserve(valid.size() * (m_shown.size() + 1));
        for (size_t axis = 0; axis <= m_shown.size(); ++axis)
            for (const int trial : valid) {
                const QPointF at = crossing(trial, axis);
                m_layer->cloud.add({at.x(), at.y(), trial});
            }
    }
    for (size_t shade = 0; shade < kShades; ++shade) set(m_lines[shade], lines[shade]);
    Coordinates uprights;
    for (size_t axis = 0; any && axis <= m_shown.size(); ++axis) {
        const auto x = static_cast<double>(axis);
        uprights[0] << x << x << kGap;
        uprights[1] << -0.03 << 1.03 << kGap;
    }
    set(m_uprights, uprights);
    plot().setEmptyText(
        valid.empty() && noneTimed(data().document)
            ? tr("Lines of trials are drawn by their times, and nothing was timed.")
            : tr("Every trial is drawn here as a line through what it chose, as soon as there are trials."));
    plot().setEmpty(!any);
    plot().setDataRange(QCPRange(-0.5, static_cast<double>(m_shown.size()) + 0.5), QCPRange(-0.08, 1.08));
    label();
    applyColors();
    updateSelection();
    plot().replotSoon();
}

/// Names below the axes, in as many characters as there is room for; values beside them.
void ParallelPlot::label() {
    Plot &p = plot();
    for (QCPItemText *text : m_values) p.removeItem(text);
    m_values.clear();
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const QFontMetricsF metrics(p.font());
    const int room = static_cast<int>(p.width() / (static_cast<double>(m_shown.size()) + 1.2));
    const auto fitted = [&](const QString &text) { return metrics.elidedText(text, Qt::ElideMiddle, room * 0.9); };
    const auto value = [&](size_t axis, double y, const QString &text) {
        auto *item = new QCPItemText(&p);
        item->position->setCoords(static_cast<double>(axis), y);
        item->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        item->setText(metrics.elidedText(text, Qt::ElideMiddle, room));
        item->setPadding(QMargins(4, 0, 2, 0));
        item->setLayer(QStringLiteral("overlay"));
        m_values.push_back(item);
    };
    for (size_t axis = 0; axis < m_shown.size(); ++axis) {
        const auto number = static_cast<size_t>(m_shown[axis]);
        const Choice &choice = m_choices->table.choices[number];
        const auto [stage, what] = partsOf(choice);
        const double share = m_choices->share(m_shown[axis]);
        const QString weight = std::isnan(share) ? QString() : percentText(share);
        ticker->addTick(static_cast<double>(axis), fitted(what) + QLatin1Char('\n') + fitted(stage) +
                                                       (weight.isEmpty() ? QString() : QLatin1Char('\n') + weight));
        const ChoiceAxis &values = m_choices->axes[number];
        const int places = static_cast<int>(values.places());
        const int apart = std::max(1, (places + kLabelsPerAxis - 2) / (kLabelsPerAxis - 1));
        for (int place = 0; place < places; ++place) {
            if (place % apart != 0 && place != places - 1) continue;
            if (place != places - 1 && places - 1 - place < apart && place != 0) continue; // too near the last
            value(axis, places < 2 ? 0.5 : static_cast<double>(place) / (places - 1),
                  qt(choice.valueText(values.values[static_cast<size_t>(place)])));
        }
    }
    if (!m_shown.empty()) {
        ticker->addTick(static_cast<double>(m_shown.size()),
                        fitted(tr("speed")) + QLatin1Char('\n') + fitted(tr("of the best")));
        for (const double share : {0.0, 0.5, 1.0}) value(m_shown.size(), share, tr("%1 %").arg(qRound(100 * share)));
    }
    p.xAxis->setTicker(ticker);
    applyColors();
}

void ParallelPlot::updateSelection() {
    Coordinates brushed;
    Coordinates selected;
    const auto drawn = [&](int trial) {
        return trial >= 0 && static_cast<size_t>(trial) < m_speed.size() && m_speed[static_cast<size_t>(trial)] > 0 &&
               !m_shown.empty();
    };
    for (const int trial : data().brushed)
        if (drawn(trial)) append(brushed, trial);
    if (drawn(data().selected)) append(selected, data().selected);
    const bool fade = !brushed[0].isEmpty();
    const bool faded = m_brushed->dataCount() > 0;
    set(m_brushed, brushed);
    set(m_selected, selected);
    if (fade != faded) {
        applyColors();
        plot().replotSoon();
    } else {
        plot().replotOverlay();
    }
}

void ParallelPlot::applyColors() {
    TrialPlot::applyColors();
    Plot &p = plot();
    const bool many = m_speed.size() > kManyLines;
    const bool fade = m_brushed->dataCount() > 0;
    const QColor slow = theme().color(Role::QuietText);
    const QColor fast = theme().color(Role::Accent);
    for (size_t shade = 0; shade < kShades; ++shade) {
        const double share = static_cast<double>(shade) / (kShades - 1);
        const auto mixed = [&](int a, int b) { return static_cast<int>(a + (b - a) * share); };
        QColor color(mixed(slow.red(), fast.red()), mixed(slow.green(), fast.green()), mixed(slow.blue(), fast.blue()));
        color.setAlphaF(static_cast<float>(fade ? 0.08 : (many ? 0.12 : 0.22) + (many ? 0.3 : 0.5) * share * share));
        m_lines[shade]->setPen(QPen(color, 1));
        m_lines[shade]->setAntialiased(!many);
    }
    m_uprights->setPen(QPen(theme().color(Role::Border), 1.5));
    m_brushed->setPen(QPen(theme().color(Role::Series1), many ? 1 : 1.4));
    m_selected->setPen(QPen(theme().color(Role::Text), 2.6));
    for (QCPItemText *text : m_values) {
        text->setFont(p.font());
        text->setColor(theme().color(Role::Text));
        QColor behind = theme().color(Role::Base);
        behind.setAlphaF(0.75F);
        text->setBrush(behind);
        text->setPen(Qt::NoPen);
    }
}

void ParallelPlot::resizeEvent(QResizeEvent *event) {
    TrialPlot::resizeEvent(event);
    if (chooseAxes()) return rebuild();
    label();
    plot().replotSoon();
}

QString ParallelPlot::table() const { return choiceTableText(m_choices, data().document); }

} // namespace loopscope
