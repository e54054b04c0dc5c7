#pragma once
// Open logs against each other, as a page of the Logs dock: what comes of it over all tasks, the tasks as a table, and
// everything about the one chosen.

#include "views/actions/view_roles.h"
#include "views/logs/workbench_record.h"
#include "views/session/view_context.h"

#include <QTimer>
#include <QWidget>

#include <optional>
#include <string>
#include <utility>
#include <vector>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTableView;

namespace loopscope {

class DiffDetails;
class DiffHead;
class DiffTaskModel;
class DiffTaskOrder;
class LogComparison;
class OpenLogs;
class PageStack;
class TaskResolutions;
class WorkbenchPair;
struct TaskDiff;

class LogDiffView : public QWidget, public FindRole, public ExportRole {
    Q_OBJECT

  public:
    /// `owner` of the action that compares: it works within that, also while this page is not there.
    LogDiffView(const ViewContext &context, TaskResolutions &resolutions, QWidget *owner, QWidget *parent);

    /// Of two open logs that one which is shown is the base; of more somebody is asked.
    void ask();
    /// By their ids, the base first; what is refused becomes a message.
    void compare(const std::vector<int> &logs);
    void close();

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;

    [[nodiscard]] LogComparison &comparison() const { return *m_comparison; }
    [[nodiscard]] DiffHead &head() const { return *m_head; }
    [[nodiscard]] DiffDetails &details() const { return *m_details; }
    [[nodiscard]] DiffTaskModel &tasks() const { return *m_tasks; }
    [[nodiscard]] QTableView *table() const { return m_table; }
    [[nodiscard]] QAction *compareAction() const;
    /// What the page is called; empty: nothing is compared.
    [[nodiscard]] QString title() const;

  signals:
    void opened(); // something is compared, and is to be seen
    void titleChanged();

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    void build();
    QWidget *newWaitingPage();
    void addActions(QWidget *owner);
    void refresh();
    void refreshWaiting();
    void refreshActions();
    void showTasks();
    void tell();
    void showBests();
    [[nodiscard]] int firstRow() const;
    [[nodiscard]] const TaskDiff *task() const; // null: none is chosen
    /// Nothing: why not.
    [[nodiscard]] std::optional<std::pair<WorkbenchRecord::Wanted, WorkbenchRecord::Wanted>> bests(QString &why) const;

    ViewContext m_context;
    OpenLogs &m_logs;
    TaskResolutions &m_resolutions;
    LogComparison *m_comparison;
    WorkbenchPair *m_pair;
    DiffTaskModel *m_tasks = nullptr;
    DiffTaskOrder *m_order = nullptr;
    DiffHead *m_head = nullptr;
    QTableView *m_table = nullptr;
    QLineEdit *m_filter = nullptr;
    DiffDetails *m_details = nullptr;
    QSplitter *m_parts = nullptr;
    PageStack *m_pages = nullptr;
    QLabel *m_doing = nullptr;
    QProgressBar *m_progress = nullptr;
    QPushButton *m_stop = nullptr;
    QPushButton *m_retry = nullptr;
    QTimer m_look;     // at how far the job is
    std::string m_key; // of the task that was chosen last
    bool m_following = false;
};

} // namespace loopscope
