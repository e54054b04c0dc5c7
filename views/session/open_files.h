#pragma once
// Opening files: workloads (.te), networks (.onnx, .net), tuning logs (.json, .log, compressed ones too), sessions
// (.loopscope), and scripts of schedules (.sched, .script, .schedule) for the workload shown. Broken ones become
// messages; nothing else is disturbed.

#include "views/session/documents.h"
#include "views/session/edited_schedules.h"
#include "views/session/log_opening.h"
#include "views/session/session_file.h"

namespace loopscope {

class OpenLogs;
class OpenNetworks;

class OpenFiles : public QObject {
    Q_OBJECT

  public:
    OpenFiles(const DocumentStore &store, Documents &documents, EditedSchedules &edits, LogOpening &logs,
              OpenLogs &openLogs, OpenNetworks &networks, SessionFile &sessions, Messages &messages);

    /// Told apart by content. What cannot be opened becomes a message (and `opened` false); the others open all the
    /// same.
    void open(const QStringList &paths);
    /// A log of the task shown.
    void loadLog(const QString &path);
    /// The same, of any task, however large the log is.
    void loadLog(const QString &path, int taskId);
    /// See LogOpening::findWorkload.
    void findWorkload(const QString &path) { m_logs.findWorkload(path); }

  signals:
    void opened(const QString &path, bool ok);
    void scriptOpened(); // applied, or kept as a draft where it cannot be

  private:
    void fail(const QString &path, const QString &problem, const QString &detail, int line = 0, int column = 0);
    void openScript();

    const DocumentStore &m_store;
    Documents &m_documents;
    EditedSchedules &m_edits;
    LogOpening &m_logs;
    OpenLogs &m_openLogs;
    OpenNetworks &m_networks;
    SessionFile &m_sessions;
    Messages &m_messages;
    QString m_scriptPath; // of a script that waits for its workload; empty: none does
    QString m_script;
};

} // namespace loopscope
