#pragma once
// Opening files: workloads (.te), tuning logs (.json, .log) and sessions (.loopscope). Broken ones become messages;
// nothing else is disturbed.

#include "views/session/documents.h"
#include "views/session/log_opening.h"
#include "views/session/session_file.h"

namespace loopscope {

class OpenFiles : public QObject {
    Q_OBJECT

  public:
    OpenFiles(const DocumentStore &store, Documents &documents, LogOpening &logs, SessionFile &sessions,
              Messages &messages);

    /// Told apart by content. What cannot be opened becomes a message (and `opened` false); the others open all the
    /// same.
    void open(const QStringList &paths);
    /// A log of the task shown.
    void loadLog(const QString &path);
    /// See LogOpening::findWorkload.
    void findWorkload(const QString &path) { m_logs.findWorkload(path); }

  signals:
    void opened(const QString &path, bool ok);

  private:
    void fail(const QString &path, const QString &problem, const QString &detail);

    const DocumentStore &m_store;
    Documents &m_documents;
    LogOpening &m_logs;
    SessionFile &m_sessions;
    Messages &m_messages;
};

} // namespace loopscope
