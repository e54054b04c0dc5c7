#pragma once
// What is told of the record chosen and of its task: its page, what was found in the task's records, its workload where
// that is known, and the way from there to the workbench.

#include "records/resolve/resolution.h"
#include "views/logs/task_findings.h"
#include "views/session/view_context.h"

#include <QObject>

#include <utility>

namespace loopscope {

class LogDetails;
class NearPage;
class TaskResolutions;
class WorkbenchRecord;
struct OpenLog;
struct LogTask;
struct TaskTitle;

class RecordPanel : public QObject {
    Q_OBJECT

  public:
    /// `owner` of the actions: they work within it.
    RecordPanel(const ViewContext &context, LogDetails &details, QWidget *owner);

    /// `record`: SIZE_MAX: none; `task`: the one chosen, -1: that of the record. `shown`: null: no log.
    void show(const OpenLog *shown, size_t record, int task);
    /// The same log has more records, or its file is another.
    void lookAgain();
    [[nodiscard]] TaskTitle titleOf(const LogTask &task) const;
    /// A `.te` file that may be what one of the log's tasks was tuned from.
    void tryWorkload(const QString &path);
    [[nodiscard]] QList<QAction *> actions() const;
    /// Of all logs.
    [[nodiscard]] TaskResolutions &resolutions() const { return *m_resolutions; }

  signals:
    void titlesChanged();

  private:
    void addActions(QWidget *owner);
    void showFacts();
    void mark();
    void find();
    void weigh();
    void showInWorkbench();
    void askForWorkload();
    void restyle();
    [[nodiscard]] const OpenLog *log() const; // null: closed meanwhile
    [[nodiscard]] ResolutionPtr workload() const;
    [[nodiscard]] int taskTold() const; // -1: none

    ViewContext m_context;
    LogDetails &m_details;
    TaskResolutions *m_resolutions;
    WorkbenchRecord *m_workbench;
    NearPage *m_near;
    int m_log = 0;
    size_t m_record = SIZE_MAX;
    int m_task = -1;
    int m_finding = 0;                   // job
    std::pair<int, int> m_sought{0, -1}; // log and task whose findings are shown or being made
    int m_weighing = 0;                  // job
    std::pair<int, int> m_weighed{0, -1};
};

} // namespace loopscope
