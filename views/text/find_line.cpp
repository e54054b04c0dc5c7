#include "views/text/find_line.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace loopscope {

FindLine::FindLine(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("FindLine"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    m_edit = new QLineEdit(this);
    m_edit->setPlaceholderText(tr("Find"));
    m_edit->setAccessibleName(tr("Find in this text"));
    m_edit->setClearButtonEnabled(true);
    m_edit->installEventFilter(this);
    row->addWidget(m_edit, 1);
    m_result = new QLabel(this);
    m_result->setMinimumWidth(m_result->fontMetrics().horizontalAdvance(QStringLiteral("00000 of 00000")));
    m_result->setAccessibleName(tr("Matches"));
    row->addWidget(m_result);
    const auto step = [this](Qt::ArrowType arrow, const QString &tip, int direction) {
        auto *found = button({}, tip, false);
        found->setArrowType(arrow);
        connect(found, &QToolButton::clicked, this, [this, direction] { Q_EMIT stepAsked(direction); });
        return found;
    };
    row->addWidget(step(Qt::UpArrow, tr("Previous match (Shift+Enter)"), -1));
    row->addWidget(step(Qt::DownArrow, tr("Next match (Enter)"), 1));
    row->addWidget(m_case = button(QStringLiteral("Aa"), tr("Match upper and lower case (Alt+C)"), true));
    row->addWidget(m_word = button(QStringLiteral("ab|"), tr("Whole words only (Alt+W)"), true));
    row->addWidget(m_regex = button(QStringLiteral(".*"), tr("Regular expression (Alt+X)"), true));
    m_case->setShortcut(Qt::ALT | Qt::Key_C);
    m_word->setShortcut(Qt::ALT | Qt::Key_W);
    m_regex->setShortcut(Qt::ALT | Qt::Key_X);
    auto *close = button(QString(QChar(0x2715)), tr("Close (Esc)"), false);
    connect(close, &QToolButton::clicked, this, &FindLine::closed);
    row->addWidget(close);
    connect(m_edit, &QLineEdit::textChanged, this, &FindLine::queryChanged);
    for (const auto *toggle : {m_case, m_word, m_regex})
        connect(toggle, &QToolButton::toggled, this, &FindLine::queryChanged);
    connect(&m_theme, &Theme::changed, this, &FindLine::applyTheme);
    applyTheme();
    setFocusProxy(m_edit);
}

QToolButton *FindLine::button(const QString &text, const QString &tip, bool checkable) {
    auto *made = new QToolButton(this);
    made->setText(text);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setCheckable(checkable);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

void FindLine::begin(const QString &text) {
    show();
    if (!text.isEmpty()) m_edit->setText(text);
    m_edit->selectAll();
    m_edit->setFocus(Qt::ShortcutFocusReason);
    Q_EMIT queryChanged();
}

FindQuery FindLine::query() const {
    return {m_edit->text(), m_case->isChecked(), m_word->isChecked(), m_regex->isChecked()};
}

void FindLine::setResult(const QString &text, bool problem) {
    m_result->setText(text);
    m_result->setToolTip(text);
    m_problem = problem;
    applyTheme();
}

void FindLine::applyTheme() {
    QPalette palette = m_result->palette();
    palette.setColor(QPalette::WindowText, m_theme.color(m_problem ? Role::Bad : Role::QuietText));
    m_result->setPalette(palette);
}

bool FindLine::eventFilter(QObject *watched, QEvent *event) {
    if (watched != m_edit || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    const bool back = key->modifiers().testFlag(Qt::ShiftModifier);
    switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F3:
        Q_EMIT stepAsked(back ? -1 : 1);
        return true;
    case Qt::Key_Down:
        Q_EMIT stepAsked(1);
        return true;
    case Qt::Key_Up:
        Q_EMIT stepAsked(-1);
        return true;
    case Qt::Key_Escape:
        Q_EMIT closed();
        return true;
    default:
        return QWidget::eventFilter(watched, event);
    }
}

} // namespace loopscope
