#include "views/main_window/dock_title.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

namespace loopscope {

DockTitle::DockTitle(Theme &theme, const QString &icon, QDockWidget *dock)
    : QWidget(dock), m_theme(theme), m_dock(dock), m_icon(icon) {
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 2, 4, 2);
    layout->setSpacing(0);
    layout->addStretch(1);
    const int side = fontMetrics().height();
    const auto button = [&](const QString &name, const QString &tip, auto run) {
        auto *made = new QToolButton(this);
        made->setIcon(theme.icon(name));
        made->setIconSize(QSize(side, side) * 0.8);
        made->setAutoRaise(true);
        made->setToolTip(tip);
        made->setAccessibleName(tip);
        made->setFocusPolicy(Qt::NoFocus);
        connect(made, &QToolButton::clicked, dock, run);
        layout->addWidget(made);
    };
    button(QStringLiteral("undock"), tr("Undock, or dock again"), [dock] { dock->setFloating(!dock->isFloating()); });
    button(QStringLiteral("close"), tr("Close; View > Docks shows it again"), [dock] { dock->close(); });
    connect(dock, &QDockWidget::windowTitleChanged, this, qOverload<>(&QWidget::update));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize DockTitle::minimumSizeHint() const {
    return {fontMetrics().averageCharWidth() * 12, fontMetrics().height() + 10};
}

void DockTitle::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::Window));
    painter.fillRect(0, height() - 1, width(), 1, m_theme.color(Role::Border));
    const int side = fontMetrics().height();
    const QRect icon(8, (height() - side) / 2, side, side);
    m_theme.icon(m_icon).paint(&painter, icon);
    painter.setPen(m_theme.color(Role::Text));
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    const QRect text(icon.right() + 7, 0, width() - icon.right() - 7 - 2 * (side + 10), height());
    painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetrics(bold).elidedText(m_dock->windowTitle(), Qt::ElideRight, text.width()));
}

} // namespace loopscope
