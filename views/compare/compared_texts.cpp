#include "views/compare/compared_texts.h"

#include "views/compare/diff_text.h"
#include "views/compare/notice_page.h"
#include "views/session/text.h"
#include "views/text/find_line.h"

#include <QSaveFile>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <utility>
#include <vector>

namespace loopscope {

ComparedTexts::ComparedTexts(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    m_diff = new DiffText(context.theme, this);
    connect(m_diff, &DiffText::currentChanged, this, &ComparedTexts::countChanged);
    connect(m_diff, &DiffText::lineChosen, this, &ComparedTexts::lineChosen);
    connect(m_diff, &DiffText::unfoldAsked, this, &ComparedTexts::unfoldAsked);
    m_notice = new NoticePage(context.theme, this);
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_diff);
    m_stack->addWidget(m_notice);
    m_find = new FindLine(context.theme, this);
    m_find->hide();
    connect(m_find, &FindLine::queryChanged, this, &ComparedTexts::find);
    connect(m_find, &FindLine::stepAsked, this, [this](int direction) {
        m_diff->stepMatch(direction);
        m_find->setResult(m_diff->matchText(), false);
    });
    connect(m_find, &FindLine::closed, this, [this] {
        m_find->hide();
        m_diff->setMatches({}, {});
        m_diff->setFocus(Qt::OtherFocusReason);
    });
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(m_stack, 1);
    all->addWidget(m_find);
    setFocusProxy(m_diff);
}

bool ComparedTexts::shown() const { return m_stack->currentWidget() == m_diff && m_diff->text() != nullptr; }

void ComparedTexts::ask(const Asked &asked) {
    stop();
    if (!m_aligned || m_stack->currentWidget() != m_diff)
        say(tr("One moment"), asked.title + QStringLiteral(" \u2026"));
    m_job = m_context.session.jobs().start(
        asked.title, this, [make = asked.make](JobControl &control) { return make(&control.cancelFlag()); },
        [this, asked](std::shared_ptr<const AlignedText> aligned) {
            m_job = 0;
            if (!aligned) return;
            m_aligned = std::move(aligned);
            put(asked);
        });
}

void ComparedTexts::stop() {
    if (m_job != 0) m_context.session.jobs().cancel(std::exchange(m_job, 0));
}

void ComparedTexts::setOnlyDifferences(bool only) {
    m_only = only;
    if (m_aligned && shown()) put(m_asked);
}

void ComparedTexts::put(const Asked &asked) {
    constexpr int kContext = 3;
    m_asked = asked;
    m_diff->setText(m_only ? m_aligned->folded(kContext) : m_aligned, asked.languages[0], asked.languages[1]);
    m_stack->setCurrentWidget(m_diff);
    if (m_find->isVisible()) find();
    Q_EMIT textsShown();
    Q_EMIT countChanged();
}

void ComparedTexts::say(const QString &title, const QString &sentence) {
    m_notice->say(title, sentence);
    m_stack->setCurrentWidget(m_notice);
    Q_EMIT countChanged();
}

QString ComparedTexts::notice() const { return m_stack->currentWidget() == m_diff ? QString() : m_notice->sentence(); }

QString ComparedTexts::linesText() const {
    return tr("~%1  +%2  \u2212%3")
        .arg(m_aligned->count(DiffKind::Changed))
        .arg(m_aligned->count(DiffKind::Added))
        .arg(m_aligned->count(DiffKind::Removed));
}

QString ComparedTexts::countText(bool lines) const {
    if (!shown()) return {};
    const auto total = m_diff->text()->differences().size();
    if (m_aligned->count(DiffKind::Beside) > 0) return tr("side by side");
    if (total == 0) {
        const bool same = m_aligned->text(AlignedText::Left) == m_aligned->text(AlignedText::Right);
        return same ? tr("identical") : tr("no difference with these filters");
    }
    const int current = m_diff->currentDifference();
    return (current < 0 ? countedText(total, "difference") : tr("%1 of %2").arg(current + 1).arg(total)) +
           (lines ? QStringLiteral("   ") + linesText() : QString());
}

QString ComparedTexts::countTip() const {
    if (!shown()) return {};
    if (m_aligned->count(DiffKind::Beside) > 0)
        return tr("Code for different targets: what is of one stage begins in one row, but lines are not compared");
    return m_diff->text()->differences().empty()
               ? QString()
               : tr("%1: lines changed, only on the right, only on the left").arg(linesText());
}

QString ComparedTexts::exportTo(const QString &path, const QString &left, const QString &right) const {
    if (!shown() || !m_aligned) return tr("There is nothing to export yet");
    const QByteArray out =
        QStringLiteral("--- %1\n+++ %2\n").arg(left, right).toUtf8() + QByteArray::fromStdString(m_aligned->unified());
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(out) == out.size() && file.commit()) return {};
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
}

void ComparedTexts::startFind() {
    m_find->begin({});
    find();
}

void ComparedTexts::find() {
    std::vector<FindMatch> matches[2];
    QString problem;
    if (shown())
        for (const auto side : {AlignedText::Left, AlignedText::Right}) {
            MatchFinder finder(m_find->query());
            problem = finder.problem();
            if (finder.empty()) continue;
            while (!finder.advance(m_diff->text()->text(side), int64_t(1) << 24)) {
            }
            matches[side] = finder.matches();
        }
    m_diff->setMatches(matches[0], matches[1]);
    if (!problem.isEmpty())
        m_find->setResult(problem, true);
    else
        m_find->setResult(m_find->query().text.isEmpty() ? QString() : m_diff->matchText(), false);
}

} // namespace loopscope
