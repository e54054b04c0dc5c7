#include "views/loops/schedule_head.h"

#include "views/actions/elided_label.h"
#include "views/loops/rule_words.h"
#include "views/session/baseline.h"
#include "views/session/text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <cmath>

namespace loopscope {

namespace {

/// A reason may be as long as a compiler likes; the loops below it are what one came for.
QString cutShort(const QString &sentence) {
    constexpr qsizetype kLongest = 240;
    return sentence.size() <= kLongest ? sentence : sentence.left(kLongest - 1) + u'\u2026';
}

} // namespace

QString whyNoLoops(const Document *document, const ScheduleRef &ref) {
    if (document == nullptr) return QStringLiteral("Open a workload to see its loops.");
    if (document->logTask && document->problem)
        return QStringLiteral("There are no loops to show: %1.").arg(document->problem->sentence);
    if (document->task == nullptr)
        return document->problem
                   ? QStringLiteral("The workload has an error; its loops appear here once it is repaired.\n%1")
                         .arg(document->problem->sentence)
                   : QStringLiteral("Analysing the workload \u2026");
    const auto trials = document->trials.size();
    const auto sketches = document->sketches.size();
    if (ref.kind == ScheduleRef::Kind::Trial && static_cast<size_t>(ref.number) >= trials)
        return QStringLiteral("Trial %1 does not exist (yet). Choose another schedule above.").arg(ref.number + 1);
    if (ref.kind == ScheduleRef::Kind::Edited && !document->has(ref))
        return QStringLiteral("There is no %1 any more. Choose another schedule above.").arg(scheduleName(ref));
    if (ref.kind == ScheduleRef::Kind::Sketch && static_cast<size_t>(ref.number) >= sketches)
        return document->sketchProblem.isEmpty()
                   ? QStringLiteral("Sketch %1 does not exist (yet). Choose another schedule above.").arg(ref.number)
                   : QStringLiteral("There are no sketches: %1").arg(document->sketchProblem);
    return {};
}

ScheduleHead::ScheduleHead(const Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    constexpr int kMargin = 8;
    auto *head = new QVBoxLayout(this);
    head->setContentsMargins(kMargin, 0, kMargin, kMargin / 2);
    head->setSpacing(1);
    m_title = new ElidedLabel(this);
    m_details = new QLabel(this);
    m_details->setWordWrap(true);
    m_notice = new QLabel(this);
    m_notice->setWordWrap(true);
    m_notice->setTextInteractionFlags(Qt::TextSelectableByMouse);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_of = new ElidedLabel(this);                                      // a long name is cut, the dock not widened
    m_of->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // and cut before the schedule is
    m_tools = new QHBoxLayout;
    m_tools->setSpacing(0);
    m_tools->addWidget(m_title);
    m_tools->addSpacing(fontMetrics().averageCharWidth());
    m_tools->addWidget(m_of, 1);
    head->addLayout(m_tools);
    head->addWidget(m_details);
    head->addWidget(m_notice);
}

void ScheduleHead::show(const Document &document, const ScheduleRef &ref, const LoopTree *tree, const QString &note,
                        const QString &measuring, const QString &predictedBy) {
    QString title = scheduleName(document, ref);
    title[0] = title[0].toUpper();
    QStringList facts;
    QString notice;
    QString tip;
    bool bad = false;
    switch (ref.kind) {
    case ScheduleRef::Kind::Naive:
        facts << QStringLiteral("every stage as one nest of serial loops");
        if (document.naiveSeconds > 0) facts << timeText(document.naiveSeconds) << againstBaselineText(document, ref);
        if (document.naiveSeconds > 0 && document.task && document.task->target.isGpu())
            facts << QStringLiteral("timed with a thread for each element");
        break;
    case ScheduleRef::Kind::Sketch:
        if (static_cast<size_t>(ref.number) < document.sketches.size()) {
            const std::vector<std::string> &rules = document.sketches[static_cast<size_t>(ref.number)].rules;
            facts << rulesInShort(rules);
            tip = rulesInFull(rules);
        }
        break;
    case ScheduleRef::Kind::Edited:
        if (document.has(ref)) {
            const EditNode &node = document.edited[static_cast<size_t>(ref.number)];
            facts << node.did;
            const size_t applied = node.steps.state().steps().size();
            if (applied < node.steps.size())
                facts << QStringLiteral("%1 of %2 steps apply").arg(applied).arg(node.steps.size());
            if (node.measured.seconds > 0)
                facts << timeText(node.measured.seconds) + QStringLiteral("\u00a0measured")
                      << againstBaselineText(document, ref);
            else if (!node.measured.failure.isEmpty())
                notice = QStringLiteral("It failed: %1").arg(node.measured.failure);
            else if (!node.measured.words().isEmpty())
                facts << node.measured.words();
            tip = node.note;
            if (std::isfinite(node.predicted)) {
                facts << QStringLiteral("%1\u00a0of the naive time predicted").arg(percentText(node.predicted));
                if (!predictedBy.isEmpty()) tip += QStringLiteral("\nPredicted by %1").arg(predictedBy);
            }
            tip = tip.trimmed();
            bad = !node.measured.failure.isEmpty();
        }
        break;
    case ScheduleRef::Kind::Trial:
        if (static_cast<size_t>(ref.number) < document.trials.size()) {
            const TrialEntry &entry = document.trials[static_cast<size_t>(ref.number)];
            if (entry.valid()) {
                facts << entry.timeWords();
                if (entry.gflops > 0) facts << gflopsText(entry.gflops);
                facts << againstBaselineText(document, ref);
            } else {
                notice = QStringLiteral("It failed: %1").arg(qt(entry.trial.reason));
                bad = true;
            }
            if (ref.number == document.best) facts << QStringLiteral("the best so far");
            if (entry.sketch >= 0) facts << QStringLiteral("of\u00a0sketch\u00a0%1").arg(entry.sketch);
        }
        break;
    }
    facts << measuring;
    const bool late = tree == nullptr || !(tree->ref == ref);
    if (late)
        facts << QStringLiteral("lowering \u2026");
    else if (!tree->refusal.isEmpty()) {
        const bool sketch = ref.kind == ScheduleRef::Kind::Sketch;
        if (sketch)
            notice = QStringLiteral("Its tile lengths are open (shown as ?): the search fills them in.");
        else
            notice = QStringLiteral("There is no program: %1").arg(tree->refusal);
        bad |= !sketch;
    }
    facts.removeAll(QString());
    m_title->setText(title);
    m_of->setText(QStringLiteral("of %1").arg(document.name));
    m_details->setText(note.isEmpty() ? facts.join(QStringLiteral("  \u00b7  "))
                                      : facts.join(QStringLiteral("  \u00b7  ")) + QStringLiteral("\n") + note);
    m_details->setToolTip(tip);
    m_notice->setVisible(!notice.isEmpty());
    m_notice->setText(cutShort(notice));
    m_notice->setToolTip(notice);
    const Role role = bad ? Role::Bad : Role::Accent;
    m_notice->setStyleSheet(
        QStringLiteral("QLabel { background: %1; color: %2; padding: 4px 8px; border-radius: 4px; }")
            .arg(m_theme.tint(role).name(), m_theme.color(bad ? Role::Bad : Role::Text).name()));
}

void ScheduleHead::restyle() {
    m_details->setStyleSheet(QStringLiteral("color: %1").arg(m_theme.color(Role::QuietText).name()));
}

} // namespace loopscope
