#include "views/actions/flow_bar.h"

#include <QAction>
#include <QToolButton>

namespace loopscope {

FlowBar::FlowBar(QWidget *parent) : QWidget(parent), m_row(new FlowLayout(this, 4, 2)) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

QToolButton *FlowBar::addButton(QAction *action, Qt::ToolButtonStyle style) {
    auto *button = new QToolButton(this);
    button->setAutoRaise(true);
    button->setIconSize({16, 16});
    button->setToolButtonStyle(style);
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::TabFocus);
    m_row->addWidget(button);
    return button;
}

void FlowBar::addButtons(const QList<QAction *> &actions, Qt::ToolButtonStyle style) {
    for (QAction *action : actions) addButton(action, style);
}

void FlowBar::addField(QWidget *field) { m_row->addWidget(field); }

} // namespace loopscope
