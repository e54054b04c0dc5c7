#include "views/trials/chip.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>

namespace loopscope {

Chip::Chip(Theme &theme, Role role, QWidget *parent) : QAbstractButton(parent), m_theme(theme), m_role(role) {
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void Chip::setCount(const QString &text, int count) {
    const QString number = QString::number(count);
    if (text == this->text() && number == m_count) return;
    setText(text);
    m_count = number;
    setAccessibleName(QStringLiteral("%1: %2").arg(text, number));
    updateGeometry();
    update();
}

QSize Chip::sizeHint() const {
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics metrics(font());
    const int gap = metrics.averageCharWidth();
    return {metrics.horizontalAdvance(text()) + QFontMetrics(bold).horizontalAdvance(m_count) + gap * 4,
            metrics.height() + 6};
}

void Chip::paintEvent(QPaintEvent * /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool hot = underMouse() || isDown();
    painter.setBrush(hot ? m_theme.color(Role::Hover) : m_theme.tint(m_role));
    painter.setPen(QPen(m_theme.color(hasFocus() ? Role::Accent : hot ? m_role : Role::Border), hasFocus() ? 1.6 : 1));
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
    const int gap = fontMetrics().averageCharWidth();
    const QRect inside = rect().adjusted(gap * 3 / 2, 0, -gap * 3 / 2, 0);
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft, text());
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(m_theme.color(m_role));
    painter.drawText(inside, Qt::AlignVCenter | Qt::AlignRight, m_count);
}

} // namespace loopscope
