#pragma once
// Opening tuning logs: whose log it is, found among the open tasks and then among the workloads nearby, and its trials
// as entries of that task; a log of unknown tasks becomes a document of its own. A log waits until every open text is
// understood, as only then is known whose it is.

#include "views/session/documents.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/task_trials.h"

#include <QJsonArray>
#include <QStringList>

#include <map>
#include <memory>
#include <vector>

namespace loopscope {

/// A log that is to be read.
struct PendingLog {
    QString path;
    int task = 0; // 0 = the one it belongs to
    bool restoring = false;
    QString target = {};   // the workload was given this target for the log's sake already
    QJsonArray known = {}; // what is known of its trials besides: pins, notes; by log and record (session_json.h)
    bool large = false;    // also of more records than are made trials unasked
};

/// What opening logs works on.
struct LogParts {
    DocumentStore &store;
    WorkloadReader &reader;
    Documents &documents;
    TaskTrials &trials;
    Selection &selection;
    Settings &settings;
    Messages &messages;
    Jobs &jobs;
};

class LogOpening : public QObject {
    Q_OBJECT

  public:
    explicit LogOpening(const LogParts &parts);

    /// Is read with the next openPending.
    void expect(PendingLog log) { m_pending.push_back(std::move(log)); }
    void openPending();
    /// The document shown is a log of an unknown workload, and this (.te) may be it. It is opened with the log's trials
    /// when it is; when it is not, Document::problem says why.
    void findWorkload(const QString &path);
    [[nodiscard]] bool busy() const { return !m_pending.empty() || !m_reading.empty(); }
    /// Logs still to come for one task.
    [[nodiscard]] QStringList awaited(int taskId) const;

    /// Records that become trials unasked.
    static constexpr size_t kMaxUnasked = 200'000;

  signals:
    void opened(const QString &path);
    void failed(const QString &path, const QString &problem, const QString &detail);
    void cancelled(const QString &path);
    void tooLarge(const QString &path);               // nobody was asked whether its records are to be trials
    void trialsRead(int taskId, const QString &path); // its trials stand in the task
    void attached();                                  // the task shown has a log more

  private:
    void open(const PendingLog &pending);
    void openUnknown(const PendingLog &pending, std::vector<struct UnknownTask> tasks, const QString &more);
    void attach(const PendingLog &pending, struct LogTrials trials);
    void openWithTarget(PendingLog pending, Document &document, const QString &target);
    [[nodiscard]] QStringList workloadsNear(const QString &path) const;
    void jobCancelled(int job);
    void wasRead(int job);

    LogParts m_parts;
    std::vector<PendingLog> m_pending;
    std::map<int, PendingLog> m_reading; // job -> what it reads
};

} // namespace loopscope
