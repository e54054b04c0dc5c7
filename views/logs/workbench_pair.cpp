#include "views/logs/workbench_pair.h"

namespace loopscope {

WorkbenchPair::WorkbenchPair(const ViewContext &context, QObject *parent)
    : QObject(parent), m_context(context), m_record(new WorkbenchRecord(context.session, this)) {
    // What is told in the same turn comes first.
    connect(m_record, &WorkbenchRecord::shown, this, &WorkbenchPair::goOn, Qt::QueuedConnection);
    connect(m_record, &WorkbenchRecord::failed, this, [this](const QString &why) {
        end();
        Q_EMIT failed(why);
    });
}

void WorkbenchPair::show(const WorkbenchRecord::Wanted &first, const WorkbenchRecord::Wanted &other) {
    m_first = first;
    m_other = other;
    m_stage = Stage::First;
    Q_EMIT busyChanged();
    m_record->show(m_first);
}

void WorkbenchPair::goOn() {
    if (m_stage == Stage::First) {
        m_stage = Stage::Other;
        m_shown = trialOf(m_first);
        m_record->show(m_other);
    } else if (m_stage == Stage::Other) {
        compare();
    }
}

std::optional<TaskSchedule> WorkbenchPair::trialOf(const WorkbenchRecord::Wanted &wanted) const {
    const Document *document = m_context.session.document();
    for (size_t i = 0; document != nullptr && i < document->trials.size(); ++i) {
        const TrialEntry &entry = document->trials[i];
        if (entry.logPath == wanted.log && entry.logRecord == wanted.record)
            return TaskSchedule{document->taskId, {ScheduleRef::Kind::Trial, static_cast<int>(i)}};
    }
    return std::nullopt;
}

void WorkbenchPair::compare() {
    // Of one task the second log may have come in front of the first: it is looked for once more.
    const auto again = trialOf(m_first);
    const auto first = again ? again : m_shown;
    const auto other = trialOf(m_other);
    end();
    if (!first || !other) return Q_EMIT failed(tr("another document was shown meanwhile"));
    if (QAction *show = m_context.actions.find(Capability::ShowComparison)) show->trigger(); // made now, if it was not
    m_context.session.selection().compareOfTasks(*first, *other);
}

void WorkbenchPair::end() {
    m_stage = Stage::None;
    Q_EMIT busyChanged();
}

} // namespace loopscope
