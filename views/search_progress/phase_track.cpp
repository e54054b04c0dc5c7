#include "views/search_progress/phase_track.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace loopscope {

PhaseTrack::PhaseTrack(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(QStringLiteral("Phase of the search"));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void PhaseTrack::setStation(std::optional<SearchStation> station, bool paused) {
    if (station == m_station && paused == m_paused) return;
    m_station = station;
    m_paused = paused;
    setAccessibleDescription(station ? stationName(*station) : QString());
    update();
}

int PhaseTrack::widest() const {
    int width = 0;
    for (int i = 0; i < kSearchStations; ++i)
        width = std::max(width, fontMetrics().horizontalAdvance(stationName(static_cast<SearchStation>(i))));
    return width;
}

QSize PhaseTrack::sizeHint() const {
    const int line = fontMetrics().height();
    return {(widest() + line) * kSearchStations, line * 2};
}

QSize PhaseTrack::minimumSizeHint() const {
    const int line = fontMetrics().height();
    return {line * kSearchStations, line * 2};
}

double PhaseTrack::centreOf(int station) const {
    const double each = static_cast<double>(width()) / kSearchStations;
    return each * (station + 0.5);
}

int PhaseTrack::stationAt(double x) const {
    return std::clamp(static_cast<int>(x * kSearchStations / std::max(1, width())), 0, kSearchStations - 1);
}

void PhaseTrack::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double line = fontMetrics().height();
    const double radius = line * 0.28;
    const double y = line * 0.5;
    const QColor quiet = m_theme.color(Role::Border);
    const QColor strong = m_theme.color(m_paused ? Role::Warning : Role::Accent);
    const int now = m_station ? static_cast<int>(*m_station) : -1;
    // With little room only the station of the moment says its name.
    const bool names = width() >= (widest() + line * 0.5) * kSearchStations;
    for (int i = 0; i + 1 < kSearchStations; ++i) {
        painter.setPen(QPen(i < now ? strong : quiet, 1.5));
        painter.drawLine(QPointF(centreOf(i) + radius + 2, y), QPointF(centreOf(i + 1) - radius - 2, y));
    }
    for (int i = 0; i < kSearchStations; ++i) {
        const bool here = i == now;
        const double size = here ? radius * 1.35 : radius;
        painter.setPen(QPen(i <= now ? strong : quiet, 1.5));
        painter.setBrush(here ? strong : i < now ? m_theme.tint(Role::Accent) : m_theme.color(Role::Base));
        painter.drawEllipse(QPointF(centreOf(i), y), size, size);
        if (!names && !here) continue;
        QFont bold = font();
        bold.setBold(here);
        painter.setFont(bold);
        painter.setPen(here ? m_theme.color(Role::Text) : m_theme.color(Role::QuietText));
        const QString name = stationName(static_cast<SearchStation>(i));
        const double needed = QFontMetricsF(bold).horizontalAdvance(name) + 4;
        const double left = std::clamp(centreOf(i) - needed / 2, 0., std::max(0., width() - needed));
        painter.drawText(QRectF(left, line, needed, line), Qt::AlignCenter, name);
    }
}

bool PhaseTrack::event(QEvent *event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    QToolTip::showText(help->globalPos(), stationTip(static_cast<SearchStation>(stationAt(help->pos().x()))), this);
    return true;
}

} // namespace loopscope
