#include "views/edits/drop_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>

namespace loopscope {

DropBar::DropBar(const Theme &theme, QWidget *parent)
    : QFrame(parent), m_theme(theme), m_question(new QLabel(this)), m_drop(new QPushButton(tr("Drop"), this)),
      m_keep(new QPushButton(tr("Keep"), this)) {
    setObjectName(QStringLiteral("DropBar"));
    m_question->setWordWrap(true);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->addWidget(m_question, 1);
    row->addWidget(m_keep);
    row->addWidget(m_drop);
    for (QPushButton *button : {m_drop, m_keep}) button->setAutoDefault(true);
    connect(m_drop, &QPushButton::clicked, this, [this] { close(true); });
    connect(m_keep, &QPushButton::clicked, this, [this] { close(false); });
    hide();
}

void DropBar::ask(int node, const QString &question) {
    m_node = node;
    m_question->setText(question);
    show();
    m_keep->setFocus(Qt::OtherFocusReason);
}

void DropBar::close(bool drop) {
    hide();
    if (drop) Q_EMIT dropped(m_node);
    Q_EMIT closed();
}

void DropBar::keyPressEvent(QKeyEvent *event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape) return close(false);
    if (enter && (m_drop->hasFocus() || m_keep->hasFocus())) return close(m_drop->hasFocus());
    QFrame::keyPressEvent(event);
}

void DropBar::restyle() {
    setStyleSheet(QStringLiteral("#DropBar { background: %1; }").arg(m_theme.tint(Role::Warning).name()));
}

} // namespace loopscope
