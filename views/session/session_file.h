#pragma once
// Session files (.loopscope): JSON that names the workloads and their logs, and keeps what logs have no place for:
// where a candidate came from, schedules made by hand, rounds, pins, notes, the selection, the window. Trials
// themselves stay in their logs. Versions: session_text.h.

#include "views/session/documents.h"
#include "views/session/edited_schedules.h"
#include "views/session/log_opening.h"
#include "views/session/messages.h"
#include "views/session/session_snapshot.h"
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
    EditedSchedules &edits;
    LogOpening &logs;
    Selection &selection;
    Messages &messages;
};

class SessionFile : public QObject {
    Q_OBJECT

  public:
    explicit SessionFile(const SessionFileParts &parts);

    /// `window` is the window's own state, kept as it is.
    [[nodiscard]] SessionSnapshot snapshot(const QByteArray &window) const;
    [[nodiscard]] QJsonObject json(const QByteArray &window) const;
    /// Empty on success, else a sentence.
    QString save(const QString &path, const QByteArray &window) const;
    /// Of a file that is damaged, or of a newer program, all or what can be read.
    enum class Reading : uint8_t { Whole, WhatCanBe };
    /// False with a message when the file is no session, or not all of it can be read; `partlyReadable` where some can.
    bool load(const QString &path, QByteArray *window, Reading reading = Reading::Whole);
    /// Why it cannot be read as a whole; empty: it can.
    static QString problemOf(const QString &path);
    /// A session that was opened is not complete yet: its logs are being read.
    [[nodiscard]] bool restoring() const { return !m_restoring.empty() || m_parts.logs.busy(); }

  signals:
    void restored(); // all that is known of the trials of the task shown
    /// Why it was refused, and what of it can be read, in a line.
    void partlyReadable(const QString &path, const QString &why, const QString &holds);

  private:
    /// What a session file says of a task whose logs are still being read.
    struct Restoring {
        int task = 0;
        QJsonArray trials;
        QJsonArray ancestors;
        QJsonArray edits; // until the task is understood
        QJsonObject draft;
        std::vector<QString> trialsOfEdits; // which trial each node became, by name
        Selected selection;
        bool select = false;
    };
    void readTask(const QJsonObject &json, TaskState &state);
    Document *readDocument(const QJsonObject &json, const QString &path, const Selected *selection);
    void await(int task, const QJsonObject &json, const Selected *selection);
    [[nodiscard]] TaskSnapshot taskSnapshot(const TaskState &state) const;
    [[nodiscard]] SessionSnapshot::Shown documentSnapshot(const Document &document) const;
    [[nodiscard]] Restoring *restoringOf(int taskId);
    Restoring takeRestoring(int taskId);
    void forget(int taskId);
    void restoreEdits(int taskId);
    void restoreSelection(int taskId);
    void select(const Restoring &restoring);
    void restoreEntries(int taskId, const QString &logPath);
    void restoreBaseline(TaskState &state, const QJsonArray &trials);

    SessionFileParts m_parts;
    std::vector<Restoring> m_restoring;
};

} // namespace loopscope
