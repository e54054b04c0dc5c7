#pragma once
// The notes of the log shown: which of its records they are about (records/logs/noted_records.h), found anew by a job
// when the log or the file beside it changes.

#include "records/logs/noted_records.h"
#include "views/session/open_logs.h"

#include <QDateTime>
#include <QObject>

#include <memory>

namespace loopscope {

using NotedRecordsPtr = std::shared_ptr<const NotedRecords>;

class NotedLog : public QObject {
    Q_OBJECT

  public:
    NotedLog(Jobs &jobs, Messages &messages, QObject *parent);

    /// Null: no log.
    void look(const OpenLog *shown);
    [[nodiscard]] const NotedRecordsPtr &notes() const { return m_notes; } // never null

  signals:
    void changed();

  private:
    void take(NotedRecords notes);

    /// What the notes shown were made of.
    struct State {
        int log = 0;
        size_t records = 0;
        qint64 bytes = -1; // of the file beside it; -1: there is none
        QDateTime written;
        bool operator==(const State &) const = default;
    };
    Jobs &m_jobs;
    Messages &m_messages;
    NotedRecordsPtr m_notes = std::make_shared<const NotedRecords>();
    State m_state;
    int m_job = 0;
};

} // namespace loopscope
