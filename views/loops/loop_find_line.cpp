#include "views/loops/loop_find_line.h"

#include "views/loops/loop_tree_model.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace loopscope {

LoopFindLine::LoopFindLine(const Theme &theme, LoopTreeModel &model, QWidget *parent)
    : QWidget(parent), m_model(model) {
    constexpr int kMargin = 8;
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(kMargin, kMargin / 2, kMargin, kMargin / 2);
    m_edit = new QLineEdit(this);
    m_edit->setPlaceholderText(QStringLiteral("Find a loop, statement, stage or memory"));
    m_edit->setAccessibleName(QStringLiteral("Find in the loops"));
    m_edit->setClearButtonEnabled(true);
    m_count = new QLabel(this);
    row->addWidget(m_edit, 1);
    row->addWidget(m_count);
    const auto button = [&](const QString &icon, const QString &tip, auto run) {
        auto *tool = new QToolButton(this);
        tool->setIcon(theme.icon(icon));
        tool->setToolTip(tip);
        tool->setAccessibleName(tip);
        tool->setAutoRaise(true);
        row->addWidget(tool);
        connect(tool, &QToolButton::clicked, this, run);
    };
    button(QStringLiteral("back"), QStringLiteral("Previous (Shift+Return)"), [this] { step(-1); });
    button(QStringLiteral("forward"), QStringLiteral("Next (Return)"), [this] { step(+1); });
    button(QStringLiteral("close"), QStringLiteral("Close (Esc)"), [this] { close(); });
    connect(m_edit, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_found = m_model.find(text);
        m_at = m_found.empty() ? 0 : m_found.size() - 1;
        if (m_found.empty())
            m_count->setText(text.isEmpty() ? QString() : QStringLiteral("not found"));
        else
            step(+1, false); // typing is no choice yet
    });
    const auto key = [&](const QKeySequence &keys, auto run) {
        auto *action = new QAction(this);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
        connect(action, &QAction::triggered, this, run);
    };
    key(Qt::Key_Escape, [this] { close(); });
    key(Qt::Key_Return, [this] { step(+1); });
    key(Qt::Key_Enter, [this] { step(+1); });
    key(QKeySequence(Qt::SHIFT | Qt::Key_Return), [this] { step(-1); });
    hide();
}

void LoopFindLine::begin() {
    show();
    m_edit->setFocus();
    m_edit->selectAll();
    m_found = m_model.find(m_edit->text());
}

void LoopFindLine::searchAnew() { m_found = m_model.find(isVisible() ? m_edit->text() : QString()); }

void LoopFindLine::close() {
    hide();
    m_found = m_model.find({});
    Q_EMIT closed();
}

void LoopFindLine::step(int direction, bool choose) {
    if (m_found.empty()) return;
    const size_t count = m_found.size();
    m_at = (m_at + (direction > 0 ? 1 : count - 1)) % count;
    m_count->setText(QStringLiteral("%1 of %2").arg(m_at + 1).arg(count));
    Q_EMIT found(m_model.indexOf(m_found[m_at]), choose);
}

void LoopFindLine::restyle(const Theme &theme) {
    m_count->setStyleSheet(QStringLiteral("color: %1").arg(theme.color(Role::QuietText).name()));
}

} // namespace loopscope
