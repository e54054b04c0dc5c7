#include "views/trials/empty_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace loopscope {

EmptyPage::EmptyPage(Theme &theme, Actions &actions, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_actions(actions), m_title(new QLabel(this)), m_sentence(new QLabel(this)) {
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.25);
    large.setBold(true);
    m_title->setFont(large);
    m_title->setAlignment(Qt::AlignCenter);
    m_title->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignCenter);
    m_sentence->setWordWrap(true);
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(24, 4, 24, 4);
    all->setSpacing(6);
    all->addStretch(2);
    all->addWidget(m_title);
    all->addWidget(m_sentence);
    m_buttons = new QHBoxLayout;
    m_buttons->setSpacing(8);
    all->addLayout(m_buttons);
    all->addStretch(3);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    // Views are made one after the other; the action may belong to one that comes later.
    connect(&actions, &Actions::added, this, [this](const QAction *action) {
        if (m_ids.contains(action->objectName())) makeButtons();
    });
    connect(&theme, &Theme::changed, this, &EmptyPage::applyTheme);
    applyTheme();
}

void EmptyPage::applyTheme() {
    QPalette quiet = palette();
    quiet.setColor(QPalette::WindowText, m_theme.color(Role::QuietText));
    m_sentence->setPalette(quiet);
}

void EmptyPage::say(const QString &title, const QString &sentence, const QStringList &ids) {
    m_title->setText(title);
    m_sentence->setText(sentence);
    setAccessibleName(title);
    if (ids != m_ids) {
        m_ids = ids;
        makeButtons();
    }
    fit();
}

void EmptyPage::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    fit();
}

void EmptyPage::fit() {
    // In a low panel the sentence is worth more than its title.
    const QMargins margins = layout()->contentsMargins();
    const int inside = width() - margins.left() - margins.right();
    const int needed = margins.top() + m_title->heightForWidth(inside) + layout()->spacing() +
                       m_sentence->heightForWidth(inside) + layout()->spacing() + m_buttons->minimumSize().height() +
                       margins.bottom();
    m_title->setVisible(needed <= height());
}

void EmptyPage::makeButtons() {
    while (QLayoutItem *item = m_buttons->takeAt(0)) {
        if (item->widget() != nullptr) item->widget()->deleteLater();
        delete item;
    }
    m_buttons->addStretch(1);
    for (const QString &id : m_ids) {
        QAction *action = m_actions.find(id);
        if (action == nullptr) continue;
        auto *button = new QPushButton(action->icon(), action->text(), this);
        button->setToolTip(action->toolTip());
        button->setEnabled(action->isEnabled());
        connect(action, &QAction::changed, button, [action, button] {
            button->setText(action->text());
            button->setEnabled(action->isEnabled());
            button->setToolTip(action->toolTip());
        });
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        m_buttons->addWidget(button);
    }
    m_buttons->addStretch(1);
}

} // namespace loopscope
