#pragma once
// The Logs dock: tuning logs as documents, whether or not anybody knows what they were tuned for. Left the tasks of the
// log shown, then its records, then everything about the one chosen and its task. Logs against each other are another
// page of it (log_diff_view.h).

#include "views/actions/long_export_role.h"
#include "views/actions/view_roles.h"
#include "views/logs/record_order.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <map>

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QSplitter;
class QStackedLayout;
class QToolButton;

namespace loopscope {

class LogBar;
class LogDetails;
class LogDiffView;
class LogTable;
class LogTaskModel;
class OpenLogs;
class RecordPanel;
class TrialLink;

class LogsView : public QWidget, public FindRole, public ExportRole, public LongExportRole {
    Q_OBJECT

  public:
    explicit LogsView(const ViewContext &context, QWidget *parent = nullptr);

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;
    void exportLater(const QString &path, std::function<void(const QString &problem)> done) override;

    [[nodiscard]] RecordModel &records() const { return *m_records; }
    [[nodiscard]] LogTaskModel &tasks() const { return *m_tasks; }
    [[nodiscard]] LogBar &bar() const { return *m_bar; }
    [[nodiscard]] LogDetails &details() const { return *m_details; }
    [[nodiscard]] RecordPanel &panel() const { return *m_panel; }
    [[nodiscard]] LogDiffView &comparison() const { return *m_comparison; }
    /// Of the log shown; -1: all.
    void chooseTask(int task);
    void chooseRecord(size_t record);
    /// Of any open log, which is shown then.
    void chooseRecordOf(int log, size_t record);

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    /// Where one was in a log.
    struct Place {
        RecordsWanted wanted;
        size_t record = SIZE_MAX;
    };
    void build();
    void addActions();
    void addComparison();
    void turn();
    void showLog();
    void logGrew();
    void arrange();
    void take(RecordOrder order);
    void filter(const QString &text);
    void tell();
    void copy();
    void refreshActions();
    void restyle();
    [[nodiscard]] Place &place();
    [[nodiscard]] const OpenLog *log() const;

    ViewContext m_context;
    OpenLogs &m_logs;
    RecordPanel *m_panel = nullptr;
    LogTaskModel *m_tasks = nullptr;
    QSortFilterProxyModel *m_taskOrder = nullptr;
    RecordModel *m_records = nullptr;
    NotedLog *m_noted = nullptr;
    RecordExport *m_export = nullptr;
    TrialLink *m_trials = nullptr;
    LogBar *m_bar = nullptr;
    QToolButton *m_allTasks = nullptr;
    LogTable *m_taskTable = nullptr;
    LogTable *m_recordTable = nullptr;
    QLineEdit *m_filter = nullptr;
    QLabel *m_filterProblem = nullptr;
    LogDetails *m_details = nullptr;
    LogDiffView *m_comparison = nullptr;
    QSplitter *m_outer = nullptr; // tasks and the rest
    QSplitter *m_inner = nullptr; // records and details
    QStackedLayout *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    std::map<int, Place> m_places; // by log
    int m_log = 0;
    int m_ordering = 0; // job
    bool m_following = false;
};

} // namespace loopscope
