#include "views/steps/offered_steps.h"

#include "schedule/script/schedule_script.h"
#include "search/moves/offered_moves.h"
#include "views/session/text.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace loopscope {

std::vector<OfferedStep> offeredSteps(const EditedSteps &steps, size_t at, const Target &target) {
    std::vector<OfferedStep> offered;
    const LoopState &state = steps.before(at);
    for (const Step &move : offeredMoves(state, target)) {
        const Step listed = asListed(steps, at, move);
        offered.push_back({listed, qt(scriptLine(state, listed))});
    }
    return offered;
}

OfferedSteps::OfferedSteps(const Theme &theme, std::shared_ptr<const EditedSteps> steps, size_t at, QWidget *parent)
    : QFrame(parent, Qt::Popup), m_theme(theme), m_steps(std::move(steps)), m_at(at), m_edit(new QLineEdit(this)),
      m_list(new QListWidget(this)), m_verdict(new QLabel(this)) {
    setObjectName(QStringLiteral("OfferedSteps"));
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(StyledPanel);
    m_edit->setPlaceholderText(tr("Choose a step, or type one: vectorize C j.1"));
    m_edit->setFont(theme.codeFont());
    m_edit->setAccessibleName(tr("Step to insert"));
    m_list->setFont(theme.codeFont());
    m_list->setUniformItemSizes(true);
    m_list->setAccessibleName(tr("Steps that apply here"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_verdict->setWordWrap(true);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(6, 6, 6, 6);
    column->addWidget(m_edit);
    column->addWidget(m_list, 1);
    column->addWidget(m_verdict);
    const int digit = fontMetrics().averageCharWidth();
    resize(digit * 64, fontMetrics().height() * 18);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &OfferedSteps::narrow);
    connect(m_edit, &QLineEdit::returnPressed, this, &OfferedSteps::take);
    connect(m_list, &QListWidget::itemClicked, this, [this](QListWidgetItem *item) {
        const Step step = m_all[static_cast<size_t>(item->data(Qt::UserRole).toInt())].step;
        close();
        Q_EMIT decided(step);
    });
    setFocusProxy(m_edit);
    narrow();
}

void OfferedSteps::offer(std::vector<OfferedStep> steps) {
    m_all = std::move(steps);
    m_offered = true;
    narrow();
}

void OfferedSteps::narrow() {
    const QStringList words = m_edit->text().split(u' ', Qt::SkipEmptyParts);
    m_list->clear();
    for (size_t i = 0; i < m_all.size(); ++i) {
        const QString &line = m_all[i].line;
        if (!std::all_of(words.begin(), words.end(),
                         [&](const QString &word) { return line.contains(word, Qt::CaseInsensitive); }))
            continue;
        auto *item = new QListWidgetItem(line, m_list);
        item->setData(Qt::UserRole, static_cast<int>(i));
    }
    m_list->setCurrentRow(0);
    QString text;
    bool bad = false;
    if (!m_offered)
        text = tr("Trying what applies here \u2026");
    else if (m_list->count() > 0)
        text = tr("%1 of %2 apply here").arg(m_list->count()).arg(m_all.size());
    else if (const TypedStep typed = readStep(*m_steps, m_at, m_edit->text()); typed.step)
        text = tr("This applies. Enter makes it.");
    else
        text = typed.problem, bad = true;
    m_verdict->setText(text);
    m_verdict->setStyleSheet(QStringLiteral("color: %1").arg(m_theme.color(bad ? Role::Bad : Role::QuietText).name()));
}

void OfferedSteps::take() {
    std::optional<Step> step =
        m_edit->text().trimmed().isEmpty() ? std::nullopt : readStep(*m_steps, m_at, m_edit->text()).step;
    if (!step && m_list->currentItem() != nullptr)
        step = m_all[static_cast<size_t>(m_list->currentItem()->data(Qt::UserRole).toInt())].step;
    if (!step) return;
    close();
    Q_EMIT decided(*step);
}

/// The list is walked over while the line is typed in.
bool OfferedSteps::eventFilter(QObject *watched, QEvent *event) {
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown) {
            QApplication::sendEvent(m_list, event);
            return true;
        }
        if (key == Qt::Key_Escape) {
            close();
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace loopscope
