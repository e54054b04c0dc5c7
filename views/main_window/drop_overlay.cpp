#include "views/main_window/drop_overlay.h"

#include <QPainter>

namespace loopscope {

DropOverlay::DropOverlay(Theme &theme, QWidget *window) : QWidget(window), m_theme(theme) {
    setObjectName(QStringLiteral("DropOverlay"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropOverlay::showFor(int files) {
    m_files = files;
    setGeometry(parentWidget()->rect());
    show();
    raise();
    update();
}

void DropOverlay::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = m_theme.color(Role::Window);
    veil.setAlphaF(0.88F);
    painter.fillRect(rect(), veil);
    QPen pen(m_theme.color(Role::Accent), 2, Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(24, 24, -24, -24), 14, 14);
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.6);
    large.setWeight(QFont::DemiBold);
    const int line = QFontMetrics(large).lineSpacing();
    m_theme.icon(m_files == 2 ? QStringLiteral("compare") : QStringLiteral("drop"))
        .paint(&painter, QRect(width() / 2 - line, height() / 2 - line * 3, line * 2, line * 2));
    painter.setFont(large);
    painter.setPen(m_theme.color(Role::Text));
    const QString text = m_files == 1   ? tr("Let go to open the file")
                         : m_files == 2 ? tr("Let go to open both and compare them")
                                        : tr("Let go to open %1 files").arg(m_files);
    painter.drawText(rect().adjusted(0, line, 0, 0), Qt::AlignCenter, text);
    painter.setFont(font());
    painter.setPen(m_theme.color(Role::QuietText));
    painter.drawText(rect().adjusted(0, line * 4, 0, 0), Qt::AlignCenter,
                     tr("workloads (.te), networks (.onnx, .net), tuning logs (.json), sessions (.loopscope), scripts "
                        "(.sched), pictures (.png, .npy)"));
}

} // namespace loopscope
