#include "views/logs/repeat_strip.h"

#include "views/session/text.h"

#include <QPainter>

#include <algorithm>
#include <numeric>

namespace loopscope {

RepeatStrip::RepeatStrip(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("repeat_strip"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    hide();
}

void RepeatStrip::setTimes(const std::vector<double> &seconds) {
    m_seconds = seconds;
    m_mean = seconds.empty()
                 ? 0
                 : std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
    QStringList texts;
    for (const double one : seconds) texts << timeText(one);
    setToolTip(tr("Times of every repeat: %1").arg(texts.join(QStringLiteral(", "))));
    setAccessibleName(toolTip());
    setVisible(!seconds.empty());
    update();
}

QSize RepeatStrip::sizeHint() const { return {fontMetrics().averageCharWidth() * 30, fontMetrics().height() * 5 / 2}; }

QSize RepeatStrip::minimumSizeHint() const {
    return {fontMetrics().averageCharWidth() * 16, fontMetrics().height() * 5 / 2};
}

void RepeatStrip::paintEvent(QPaintEvent * /*event*/) {
    if (m_seconds.empty()) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto [least, greatest] = std::minmax_element(m_seconds.begin(), m_seconds.end());
    const int letter = fontMetrics().averageCharWidth();
    const double left = letter * 2;
    const double room = std::max(1, width() - letter * 4);
    const double line = fontMetrics().height() * 0.7;
    // Equal times stand in the middle; a scatter of less than a hundredth is not blown up to the whole width.
    const double span = std::max(*greatest - *least, m_mean * 0.01);
    const double from = (*least + *greatest - span) / 2;
    const auto place = [&](double seconds) { return left + (seconds - from) / span * room; };
    painter.setPen(QPen(m_theme.color(Role::Grid), 1));
    painter.drawLine(QPointF(left, line), QPointF(left + room, line));
    painter.setPen(QPen(m_theme.color(Role::Accent), 2));
    painter.drawLine(QPointF(place(m_mean), line - line * 0.7), QPointF(place(m_mean), line + line * 0.7));
    QColor fill = m_theme.color(Role::Series0);
    fill.setAlphaF(0.6F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    const double radius = letter * 0.5;
    for (const double one : m_seconds) painter.drawEllipse(QPointF(place(one), line), radius, radius);
    painter.setPen(m_theme.color(Role::QuietText));
    const QRectF below(left, line * 1.6, room, fontMetrics().height());
    painter.drawText(below, Qt::AlignLeft | Qt::AlignTop, timeText(*least));
    if (*greatest > *least) painter.drawText(below, Qt::AlignRight | Qt::AlignTop, timeText(*greatest));
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(below, Qt::AlignHCenter | Qt::AlignTop, tr("mean %1").arg(timeText(m_mean)));
}

} // namespace loopscope
