#include "views/text/overview_strip.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace loopscope {

OverviewStrip::OverviewStrip(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setAccessibleName(tr("Overview of marks"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setCursor(Qt::PointingHandCursor);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize OverviewStrip::sizeHint() const { return {std::max(6, fontMetrics().height() / 2), 40}; }

void OverviewStrip::setTicks(std::vector<Tick> ticks, int lines) {
    m_ticks = std::move(ticks);
    m_lines = std::max(1, lines);
    update();
}

void OverviewStrip::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::Base));
    const double scale = static_cast<double>(height()) / m_lines;
    int drawnTo = -1; // ticks of one kind come in ascending order: no pixel is drawn twice
    Role drawn = Role::Window;
    for (const Tick &tick : m_ticks) {
        int top = static_cast<int>((tick.first - 1) * scale);
        const int bottom = std::max(top + 2, static_cast<int>(tick.last * scale));
        if (tick.role == drawn && bottom <= drawnTo) continue;
        if (tick.role == drawn) top = std::max(top, drawnTo);
        painter.fillRect(QRect(1, top, width() - 2, bottom - top), m_theme.color(tick.role));
        drawn = tick.role;
        drawnTo = bottom;
    }
}

void OverviewStrip::mousePressEvent(QMouseEvent *event) {
    Q_EMIT lineAsked(std::clamp(1 + event->pos().y() * m_lines / std::max(1, height()), 1, m_lines));
}

} // namespace loopscope
