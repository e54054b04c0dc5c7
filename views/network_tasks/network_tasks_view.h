#pragma once
// What of the network shown there is to tune. A row that is chosen selects its nodes in the network, and the other way
// round; from a row one gets to the task as a workload, with everything the workbench has for one.

#include "views/actions/view_roles.h"
#include "views/network_tasks/network_time_plot.h"
#include "views/network_tasks/steering_commands.h"
#include "views/network_tasks/task_model.h"
#include "views/network_tasks/tuning_bar.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLineEdit;
class QTableView;
class QSortFilterProxyModel;

namespace loopscope {

class FlowBar;

class NetworkTasksView : public QWidget, public FindRole, public ExportRole {
    Q_OBJECT

  public:
    explicit NetworkTasksView(const ViewContext &context, QWidget *parent = nullptr);

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;

    [[nodiscard]] QTableView &table() { return *m_table; }
    [[nodiscard]] TuningBar &bar() { return *m_bar; }
    [[nodiscard]] NetworkTimePlot &plot() { return *m_plot; }
    [[nodiscard]] QString sentence() const;

  private:
    void build();
    void addActions();
    void networkChanged();
    void followSelection();
    void lookForTimes();
    void showProgress();
    void showPlot();
    void chosen(const QModelIndex &row);
    void openTask();
    void tryForms(bool all);
    void refresh();
    [[nodiscard]] QString rowsText(bool selectedOnly, bool csv) const;
    [[nodiscard]] int currentTask() const;
    [[nodiscard]] std::vector<std::string> chosenKeys() const; // of what can be searched

    ViewContext m_context;
    OpenNetworks &m_networks;
    NetworkTaskModel *m_model;
    QSortFilterProxyModel *m_order;
    QTableView *m_table = nullptr;
    QLineEdit *m_filter = nullptr;
    FlowBar *m_tools = nullptr;
    TuningBar *m_bar = nullptr;
    NetworkTimePlot *m_plot = nullptr;
    SteeringCommands *m_steering = nullptr;
    QComboBox *m_fusion = nullptr;
    QAction *m_open = nullptr;
    QAction *m_all = nullptr;
    QAction *m_forms = nullptr;
    QAction *m_course = nullptr; // whether the plot is wanted
    QTimer m_look;
    QTimer m_follow; // the search
    int m_network = 0;
    bool m_following = false;
};

} // namespace loopscope
