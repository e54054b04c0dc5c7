#include "views/graph/graph_find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QToolButton>

namespace loopscope {

GraphFindBar::GraphFindBar(const Theme &theme, const QString &hint, const QString &name, QWidget *parent)
    : QWidget(parent), m_line(new QLineEdit(this)), m_count(new QLabel(this)) {
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    m_line->setPlaceholderText(hint);
    m_line->setAccessibleName(name);
    m_line->setClearButtonEnabled(true);
    m_line->installEventFilter(this);
    m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(QStringLiteral("0000 of 0000")));
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    layout->addWidget(m_line, 1);
    layout->addWidget(m_count);
    const auto button = [&](const QString &text, const QString &icon, const QString &tip, auto &&run) {
        auto *tool = new QToolButton(this);
        tool->setAutoRaise(true);
        tool->setText(text);
        tool->setIcon(theme.icon(icon));
        tool->setToolTip(tip);
        tool->setAccessibleName(tip);
        layout->addWidget(tool);
        connect(tool, &QToolButton::clicked, this, run);
    };
    button(QStringLiteral("<"), QStringLiteral("back"), tr("Previous match (Shift+Enter)"),
           [this] { Q_EMIT stepRequested(-1); });
    button(QStringLiteral(">"), QStringLiteral("forward"), tr("Next match (Enter)"),
           [this] { Q_EMIT stepRequested(1); });
    button(QStringLiteral("x"), QStringLiteral("close"), tr("Close (Esc)"), [this] { finish(); });
    connect(m_line, &QLineEdit::textChanged, this, &GraphFindBar::wordsChanged);
    hide();
}

void GraphFindBar::open() {
    const bool was = isVisible();
    show();
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
    if (!was) Q_EMIT wordsChanged(m_line->text());
}

void GraphFindBar::setFound(int current, int count) {
    if (m_line->text().trimmed().isEmpty())
        m_count->clear();
    else if (count == 0)
        m_count->setText(tr("nothing found"));
    else if (current < 0)
        m_count->setText(tr("%1 found").arg(count));
    else
        m_count->setText(tr("%1 of %2").arg(current + 1).arg(count));
}

void GraphFindBar::finish() {
    hide();
    Q_EMIT closed();
}

void GraphFindBar::keyPressEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_Escape)
        finish();
    else
        QWidget::keyPressEvent(event);
}

bool GraphFindBar::eventFilter(QObject *object, QEvent *event) {
    if (object == m_line && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool back = (key->modifiers() & Qt::ShiftModifier) != 0;
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            Q_EMIT stepRequested(back ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Down || key->key() == Qt::Key_Up) {
            Q_EMIT stepRequested(key->key() == Qt::Key_Up ? -1 : 1);
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

} // namespace loopscope
