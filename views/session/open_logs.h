#pragma once
// The tuning logs that are open as documents of their own, beside the workloads: each indexed by a job, its first
// records known while that goes on, followed while others write to it. A log that was cut or replaced says so and waits
// to be read anew. What becomes of its records as trials is another matter (log_opening.h).

#include "records/logs/log_document.h"

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace loopscope {

class Jobs;
class Messages;
class Settings;

/// A log that jobs read while it may grow: whoever reads holds `reading` shared.
struct FollowedLog {
    explicit FollowedLog(LogDocument opened) : document(std::move(opened)) {}
    LogDocument document;
    mutable std::shared_mutex reading;
};

/// As it was at some moment: while it is indexed, its first records only.
struct LogGlance {
    std::vector<LogRow> rows; // the first ones
    std::vector<LogTask> tasks;
    size_t records = 0;
};

/// Where somebody was in a log.
struct LogPlace {
    int task = -1;            // -1: all
    size_t record = SIZE_MAX; // SIZE_MAX: none
    QString filter = {};
    bool operator==(const LogPlace &) const = default;
};

struct OpenLog {
    enum class State : uint8_t { Indexing, Ready, Cancelled, Failed };
    int id = 0;
    QString path;
    State state = State::Indexing;
    double progress = 0;              // of indexing, 0 to 1
    QString problem;                  // why it failed; why a ready one is no longer what its file is
    bool replaced = false;            // the file was cut, or another one stands there
    LogGlance glance;                 // until it is ready
    std::shared_ptr<FollowedLog> log; // null until it is ready
    int job = 0;
    LogPlace place;
    qint64 bytes = -1; // of the file when it was looked at last
    QDateTime changed;

    [[nodiscard]] QString name() const; // of the file
    [[nodiscard]] size_t records() const { return log ? log->document.size() : glance.rows.size(); }
    [[nodiscard]] const std::vector<LogTask> &tasks() const { return log ? log->document.tasks() : glance.tasks; }
    [[nodiscard]] const LogRow &row(size_t record) const {
        return log ? log->document.row(record) : glance.rows[record];
    }
};

/// Everything on the UI thread, which alone lets a log grow: it may read without a lock.
class OpenLogs : public QObject {
    Q_OBJECT

  public:
    OpenLogs(Settings &settings, Messages &messages, Jobs &jobs);
    ~OpenLogs() override;

    /// One that is open is shown, and read anew where it is not what its file is.
    void open(const QString &path);
    /// One that was open before, as a session file says; its id. It is not brought to the front.
    int restore(const QString &path, const LogPlace &place);
    /// Anew, whatever is known of it.
    void reopen(int id);
    void cancel(int id);
    void close(int id);
    void setCurrent(int id);
    /// For whoever comes back to it.
    void setPlace(int id, const LogPlace &place);
    [[nodiscard]] const std::vector<std::unique_ptr<OpenLog>> &all() const { return m_logs; }
    [[nodiscard]] const OpenLog *current() const { return find(m_current); }
    [[nodiscard]] const OpenLog *find(int id) const;
    /// Looks whether files have changed; asked by itself twice a second.
    void look();

  signals:
    void listChanged();        // opened, closed
    void currentChanged();     // another one is shown
    void logChanged(int id);   // state, problem, progress, first records: read it anew
    void logGrown(int id);     // records were added at its end
    void openedByUser(int id); // and is to be seen
    void placeChanged(int id);

  private:
    struct Indexing; // what a job tells while it runs
    OpenLog &add(const QString &path);
    void start(OpenLog &log);
    void poll();
    void ended(OpenLog &log, OpenLog::State state, const QString &problem);
    void jobCancelled(int job);
    void follow(OpenLog &log);
    [[nodiscard]] OpenLog *opened(int id);

    Settings &m_settings;
    Messages &m_messages;
    Jobs &m_jobs;
    std::vector<std::unique_ptr<OpenLog>> m_logs;
    std::vector<std::pair<int, std::shared_ptr<Indexing>>> m_indexing; // by log
    int m_current = 0;
    int m_nextId = 1;
    QTimer m_poll;
    QTimer m_look;
};

} // namespace loopscope
