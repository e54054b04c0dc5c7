#pragma once
// From the tasks of logs to their workloads (records/resolve/resolver.h), one after the other in jobs. What is known
// stays known for all logs; a workload the user adds is tried for whatever is not.

#include "records/resolve/resolver.h"
#include "views/session/open_logs.h"

#include <QObject>
#include <QStringList>

#include <deque>
#include <map>
#include <memory>

namespace loopscope {

class Jobs;
class Settings;

struct ResolvedTask {
    ResolutionPtr workload; // null: not known
    QString why;            // it is not
};

class TaskResolutions : public QObject {
    Q_OBJECT

  public:
    TaskResolutions(Jobs &jobs, Settings &settings, QObject *parent);

    /// All tasks of the log that nobody has looked at yet.
    void resolve(const OpenLog &log);
    /// Null: nobody has looked yet.
    [[nodiscard]] const ResolvedTask *of(const LogTask &task) const;
    /// A `.te` file that may be what was tuned; kept for later logs.
    void addWorkload(const QString &path, const OpenLog &log);
    [[nodiscard]] bool busy() const { return m_job != 0; }

  signals:
    void resolved(); // one more

  private:
    struct Wanted {
        std::string key;
        size_t best = SIZE_MAX; // record whose steps tell workloads of one key apart; SIZE_MAX: none has a time
        std::weak_ptr<FollowedLog> log;
        int number = 0; // for people
        int of = 0;
    };
    void next();
    void takeFolder(const QString &path);

    Jobs &m_jobs;
    Settings &m_settings;
    QStringList m_workloads;                     // files and folders
    std::shared_ptr<const Resolver> m_resolver;  // of these; null: they changed
    std::map<std::string, ResolvedTask> m_known; // by key
    std::deque<Wanted> m_wanted;
    int m_job = 0;
};

} // namespace loopscope
