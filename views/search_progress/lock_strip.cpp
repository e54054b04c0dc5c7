#include "views/search_progress/lock_strip.h"

#include "views/actions/flow_layout.h"
#include "views/session/text.h"

#include <QCompleter>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStringListModel>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

namespace {
constexpr int kGap = 6;
constexpr int kLongestChip = 44; // characters
} // namespace

LockStrip::LockStrip(Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_line(new QLineEdit), m_problem(new QLabel),
      m_offered(new QStringListModel(this)) {
    setObjectName(QStringLiteral("lockStrip"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto *row = new QWidget;
    m_flow = new FlowLayout(row, kGap);
    auto *name = new QLabel(tr("Locks"));
    name->setToolTip(tr("What every candidate of the next search keeps of the schedule it was locked in"));
    m_flow->addWidget(name);
    m_line->setObjectName(QStringLiteral("lockPattern"));
    m_line->setAccessibleName(tr("Lock by pattern"));
    m_line->setPlaceholderText(tr("lock: split C *[0]"));
    m_line->setToolTip(tr("Locks what the schedule shown has there: a line of its script, * for anything; "
                          "split C i[0] for one length, place:D, stage:C. Typed again it is unlocked."));
    m_line->setClearButtonEnabled(true);
    m_line->setMinimumWidth(m_line->fontMetrics().averageCharWidth() * 26);
    m_line->installEventFilter(this);
    auto *completer = new QCompleter(m_offered, m_line);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_line->setCompleter(completer);
    m_flow->addWidget(m_line);
    column->addWidget(row);
    m_problem->setObjectName(QStringLiteral("lockProblem"));
    m_problem->setWordWrap(true);
    m_problem->hide();
    column->addWidget(m_problem);
    connect(m_line, &QLineEdit::returnPressed, this, [this] {
        const QString pattern = m_line->text().trimmed();
        if (!pattern.isEmpty()) Q_EMIT patternTyped(pattern);
    });
    connect(m_line, &QLineEdit::textEdited, m_problem, &QWidget::hide);
    connect(&theme, &Theme::changed, this, &LockStrip::applyTheme);
    applyTheme();
}

void LockStrip::setLocks(const ScheduleLocks &locks) {
    if (locks.all() == m_locks) return;
    m_locks = locks.all();
    for (QToolButton *chip : m_chips) chip->deleteLater();
    m_chips.clear();
    for (const ScheduleLock &lock : m_locks) {
        auto *chip = new QToolButton;
        const QString text = qt(lock.name());
        chip->setText(text.size() > kLongestChip ? text.left(kLongestChip - 1) + QChar(0x2026) : text);
        chip->setToolTip(tr("%1\nClick to unlock it").arg(qt(lock.text())));
        chip->setAccessibleName(tr("Unlock %1").arg(text));
        chip->setIcon(m_theme.icon(QStringLiteral("close")));
        chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        chip->setFocusPolicy(Qt::StrongFocus);
        connect(chip, &QToolButton::clicked, this, [this, lock] { Q_EMIT unlocked(lock); });
        m_flow->addWidget(chip);
        m_chips.push_back(chip);
        chip->show();
    }
}

void LockStrip::setPatterns(const QStringList &patterns) { m_offered->setStringList(patterns); }

void LockStrip::setProblem(const QString &sentence) {
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
    if (sentence.isEmpty()) m_line->clear();
}

bool LockStrip::eventFilter(QObject *watched, QEvent *event) {
    if (watched == m_line && event->type() == QEvent::FocusIn) Q_EMIT patternsWanted();
    return QWidget::eventFilter(watched, event);
}

void LockStrip::applyTheme() {
    QPalette bad = m_problem->palette();
    bad.setColor(QPalette::WindowText, m_theme.color(Role::Bad));
    m_problem->setPalette(bad);
    for (QToolButton *chip : m_chips) chip->setIcon(m_theme.icon(QStringLiteral("close")));
}

} // namespace loopscope
