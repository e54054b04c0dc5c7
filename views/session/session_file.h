#pragma once
// Session files (.loopscope): JSON that names the workloads and their logs, and keeps what logs have no place for:
// where a candidate came from, rounds, pins, notes, the selection, the window. Trials themselves stay in their logs.

#include "views/session/documents.h"
#include "views/session/log_opening.h"
#include "views/session/messages.h"
#include "views/session/task_trials.h"

#include <QJsonArray>
#include <QJsonObject>

#include <vector>

namespace loopscope {

/// What session files are made of and read into.
struct SessionFileParts {
    DocumentStore &store;
    WorkloadReader &reader;
    Documents &documents;
    TaskTrials &trials;
    LogOpening &logs;
    Selection &selection;
    Messages &messages;
};

class SessionFile : public QObject {
    Q_OBJECT

  public:
    explicit SessionFile(const SessionFileParts &parts);

    /// `window` is the window's own state, kept as it is.
    [[nodiscard]] QJsonObject json(const QByteArray &window) const;
    /// Empty on success, else a sentence.
    QString save(const QString &path, const QByteArray &window) const;
    /// False with a message when the file is no session.
    bool load(const QString &path, QByteArray *window);
    /// A session that was opened is not complete yet: its logs are being read.
    [[nodiscard]] bool restoring() const { return !m_restoring.empty() || m_parts.logs.busy(); }

  signals:
    void restored(); // all that is known of the trials of the task shown

  private:
    /// What a session file says of a task whose logs are still being read.
    struct Restoring {
        int task = 0;
        QJsonArray trials;
        QJsonArray ancestors;
        Selected selection;
        bool select = false;
    };
    Document *readDocument(const QJsonObject &json, const QString &path, const Selected *selection);
    void await(int task, const QJsonObject &json, const Selected *selection);
    [[nodiscard]] Restoring *restoringOf(int taskId);
    Restoring takeRestoring(int taskId);
    void forget(int taskId);
    void restoreSelection(int taskId);
    void restoreEntries(int taskId, const QString &logPath);

    SessionFileParts m_parts;
    std::vector<Restoring> m_restoring;
};

} // namespace loopscope
