#pragma once
// Records of a task that are nearly the same schedule (records/logs/near_duplicates.h), with the number they differ in
// and how far their times are apart. Their steps are read for that, which takes a while: only once somebody looks.

#include "records/logs/near_duplicates.h"
#include "views/session/open_logs.h"

#include <QWidget>

#include <utility>

class QLabel;

namespace loopscope {

class FindingsModel;
class Jobs;
class LogTable;

class NearPage : public QWidget {
    Q_OBJECT

  public:
    NearPage(Jobs &jobs, QWidget *parent);

    /// `task`: -1: none; `dag`: of its workload; null while that is not known.
    void look(const OpenLog *shown, int task, const DagPtr &dag);
    /// The same task has other records.
    void forget() { m_sought = {}; }

  signals:
    void recordAsked(size_t record);

  protected:
    void showEvent(QShowEvent *event) override;

  private:
    void seek();
    void tell(const QString &about);

    /// What is looked through: log, task, and whether its workload is known.
    struct Sought {
        int log = 0;
        int task = -1;
        bool known = false;
        bool operator==(const Sought &) const = default;
    };
    Jobs &m_jobs;
    QLabel *m_about;
    FindingsModel *m_model;
    LogTable *m_table;
    std::shared_ptr<FollowedLog> m_log;
    DagPtr m_dag;
    Sought m_wanted;
    Sought m_sought;
    int m_job = 0;
};

/// "Of the 5000 fastest schedules, ... ".
QString aboutNear(const FoundDuplicates &found);
std::vector<struct FindingRow> nearRows(const FoundDuplicates &found, const LogDocument &log);

} // namespace loopscope
