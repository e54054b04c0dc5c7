#pragma once
// Two or more of the open logs against each other (records/logs/log_diff.h), the first as what the others are told
// against. What their tasks compute is looked for, then a job compares; what comes of it stays as it is when the logs
// go on, and says that they have.

#include "records/logs/log_diff.h"
#include "views/session/open_logs.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace loopscope {

class Session;
class TaskResolutions;

/// Why the log cannot be compared: one sentence; empty: it can be.
QString whyNotComparable(const OpenLog &log);
/// The same of all that are open: a comparison takes two.
QString whyNoComparison(const OpenLogs &logs);

/// A log as it was when it was compared.
struct ComparedLog {
    QString path;
    QString name;                   // of the file
    std::weak_ptr<FollowedLog> log; // another one: it was read anew since
    size_t records = 0;
    std::vector<DiffWorkload> workloads; // what was known of its tasks
};

class LogComparison : public QObject {
    Q_OBJECT

  public:
    enum class State : uint8_t { None, Looking, Comparing, Ready, Cancelled, Failed };

    LogComparison(Session &session, TaskResolutions &resolutions, QObject *parent);

    /// The base first. Why they are not: one sentence, and nothing is changed; empty: they are being compared.
    QString compare(const std::vector<const OpenLog *> &logs);
    /// The same logs as they are now. Why not likewise.
    QString again();
    /// Why `again` would not; empty: it would.
    [[nodiscard]] QString whyNotAgain() const;
    void cancel();
    void close();
    void weigh(const DiffWeights &weights);

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const std::vector<ComparedLog> &logs() const { return m_logs; }
    [[nodiscard]] const LogDiff *diff() const { return m_diff ? &*m_diff : nullptr; } // null: not yet
    [[nodiscard]] const QString &problem() const { return m_problem; }                // why it failed
    /// What is under way, and how much of it is done (below 0: nobody knows).
    [[nodiscard]] QString doing() const;
    [[nodiscard]] double progress() const;
    /// The log as it was compared; null: it was closed, replaced, or read anew since.
    [[nodiscard]] const OpenLog *asCompared(size_t log) const;
    /// In what the logs are no longer what was compared: sentences; empty: in nothing.
    [[nodiscard]] QString outdated() const;

  signals:
    void changed();         // another state, other weights
    void outdatedChanged(); // perhaps

  private:
    struct Compared; // what a job gives
    [[nodiscard]] std::vector<const OpenLog *> openNow() const;
    [[nodiscard]] QString refusal(const std::vector<const OpenLog *> &logs) const;
    [[nodiscard]] std::vector<DiffWorkload> workloadsOf(const OpenLog &log) const;
    [[nodiscard]] size_t lookedAt(size_t &of) const;
    void goOn();
    void start();
    void end(State state, const QString &problem = {});

    Session &m_session;
    TaskResolutions &m_resolutions;
    State m_state = State::None;
    std::vector<ComparedLog> m_logs;
    std::optional<LogDiff> m_diff;
    DiffWeights m_weights;
    QString m_problem;
    int m_job = 0;
};

} // namespace loopscope
