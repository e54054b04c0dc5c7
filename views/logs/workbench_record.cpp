#include "views/logs/workbench_record.h"

#include "views/session/text.h"

#include <utility>

namespace loopscope {

WorkbenchRecord::WorkbenchRecord(Session &session, QObject *parent) : QObject(parent), m_session(session) {
    connect(&session.documents(), &Documents::understood, this, &WorkbenchRecord::goOn);
    connect(&session.documents(), &Documents::taskShown, this, &WorkbenchRecord::goOn);
    connect(&session.documents(), &Documents::problemChanged, this, &WorkbenchRecord::goOn);
    connect(&session.files(), &OpenFiles::opened, this, [this](const QString &path, bool ok) {
        if (!busy() || !m_reading || path != m_wanted.log) return;
        if (!ok) return end(tr("%1: the log could not be read as trials").arg(path));
        if (!select(true)) end(tr("%1: that record is not among the trials of its task").arg(path));
    });
}

void WorkbenchRecord::show(const Wanted &wanted) {
    m_wanted = wanted;
    m_reading = false;
    const QString text = qt(wanted.workload->te);
    Documents &documents = m_session.documents();
    m_document = 0;
    for (const Document *document : documents.all())
        if (document->text == text) m_document = document->id;
    if (m_document == 0) {
        documents.openText(qt(wanted.workload->operators.empty() ? wanted.workload->name : wanted.workload->operators),
                           text);
        m_document = m_session.document()->id;
    } else {
        documents.setCurrent(m_document);
    }
    documents.setTarget(wanted.target);
    goOn();
}

/// Once the workload is understood on that target.
void WorkbenchRecord::goOn() {
    if (!busy() || m_reading) return;
    const Document *document = m_session.document();
    if (document == nullptr || document->id != m_document) return;
    if (document->analysing || document->targetText != m_wanted.target) return;
    if (document->problem) return end(document->problem->sentence);
    if (document->task == nullptr || document->source.targetText != m_wanted.target) return;
    if (select(false)) return; // its log was read already
    m_reading = true;
    m_session.files().loadLog(m_wanted.log, document->taskId);
}

bool WorkbenchRecord::select(bool last) {
    const Document *document = m_session.document();
    if (document == nullptr || document->id != m_document) {
        if (last) end(tr("another document was shown meanwhile"));
        return last;
    }
    for (size_t i = 0; i < document->trials.size(); ++i) {
        const TrialEntry &entry = document->trials[i];
        if (entry.logPath != m_wanted.log || entry.logRecord != m_wanted.record) continue;
        m_wanted = {};
        m_session.selection().selectSchedule({ScheduleRef::Kind::Trial, static_cast<int>(i)});
        Q_EMIT shown();
        return true;
    }
    return false;
}

void WorkbenchRecord::end(const QString &why) {
    m_wanted = {};
    Q_EMIT failed(why);
}

} // namespace loopscope
