#include "views/compare/pair_plot.h"

#include "views/session/text.h"

#include <QPainter>

#include <algorithm>

namespace loopscope {

namespace {

double medianOf(const std::vector<double> &ascending) {
    const size_t n = ascending.size();
    return n % 2 == 1 ? ascending[n / 2] : (ascending[n / 2 - 1] + ascending[n / 2]) / 2;
}

} // namespace

PairPlot::PairPlot(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("pair_plot"));
    setAccessibleName(tr("Times of both schedules"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void PairPlot::setTimes(const std::vector<double> &left, const std::vector<double> &right) {
    m_times[0] = left;
    m_times[1] = right;
    for (auto &times : m_times) std::sort(times.begin(), times.end());
    QString told;
    for (size_t side = 0; side < 2; ++side)
        if (!m_times[side].empty())
            told += tr("%1: median %2, %3 to %4\n")
                        .arg(side == 0 ? tr("Left") : tr("Right"), timeText(medianOf(m_times[side])),
                             timeText(m_times[side].front()), timeText(m_times[side].back()));
    setToolTip(told.trimmed());
    setAccessibleDescription(toolTip());
    update();
}

QSize PairPlot::sizeHint() const { return {fontMetrics().averageCharWidth() * 40, fontMetrics().height() * 3 + 8}; }

void PairPlot::paintEvent(QPaintEvent *) {
    if (m_times[0].empty() || m_times[1].empty()) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double least = std::min(m_times[0].front(), m_times[1].front());
    const double most = std::max(m_times[0].back(), m_times[1].back());
    const int line = fontMetrics().height();
    const int words =
        std::max(fontMetrics().horizontalAdvance(tr("Left")), fontMetrics().horizontalAdvance(tr("Right")));
    const qreal from = words + 14;
    const qreal to = width() - 10;
    // Times that are nearly the same must not look far apart: at least a hundredth of a scale.
    const double span = std::max(most - least, least * 0.01);
    const double first = (least + most - span) / 2;
    const auto x = [&](double time) { return from + (to - from) * (time - first) / span; };
    for (size_t side = 0; side < 2; ++side) {
        const qreal y = static_cast<qreal>(side) * line + line / 2.0 + 2;
        painter.setPen(m_theme.color(Role::QuietText));
        painter.drawText(QRectF(4, y - line / 2.0, words, line), Qt::AlignVCenter,
                         side == 0 ? tr("Left") : tr("Right"));
        painter.setPen(m_theme.color(Role::Border));
        painter.drawLine(QPointF(from, y), QPointF(to, y));
        QColor dot = m_theme.series(static_cast<int>(side));
        painter.setPen(QPen(dot, 2));
        const qreal median = x(medianOf(m_times[side]));
        painter.drawLine(QPointF(median, y - line * 0.42), QPointF(median, y + line * 0.42));
        dot.setAlphaF(0.6F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(dot);
        for (const double time : m_times[side]) painter.drawEllipse(QPointF(x(time), y), 3.5, 3.5);
    }
    painter.setPen(m_theme.color(Role::QuietText));
    const QRectF scale(from, line * 2 + 4, to - from, line);
    painter.drawText(scale, Qt::AlignLeft | Qt::AlignVCenter, timeText(first));
    painter.drawText(scale, Qt::AlignRight | Qt::AlignVCenter, timeText(first + span));
}

} // namespace loopscope
