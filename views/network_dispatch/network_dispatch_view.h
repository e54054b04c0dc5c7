#pragma once
// Which kernel runs for which size: the dispatch table of the network that is shown, made here or opened, as curves of
// time over the size, with its guards and with what it costs that kernels are not made for one size alone.

#include "views/network_dispatch/dispatch_making.h"
#include "views/network_dispatch/dispatch_plot.h"
#include "views/network_dispatch/guard_model.h"
#include "views/network_dispatch/kernel_table_model.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <map>

class QLabel;
class QSortFilterProxyModel;
class QSpinBox;
class QSplitter;
class QTableView;

namespace loopscope {

class ElidedLabel;
class FlowBar;

class NetworkDispatchView : public QWidget, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit NetworkDispatchView(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] QStringList exportSuffixes() const override { return m_plot->exportSuffixes(); }
    QString exportTo(const QString &path) override { return m_plot->exportTo(path); }
    void zoomIn() override { m_plot->zoomIn(); }
    void zoomOut() override { m_plot->zoomOut(); }
    void zoomToFit() override { m_plot->zoomToFit(); }

    /// Of the network that is shown.
    void openTable(const QString &path);
    [[nodiscard]] DispatchPlot &plot() { return *m_plot; }
    [[nodiscard]] QTableView &kernels() { return *m_kernels; }
    [[nodiscard]] QTableView &guards() { return *m_guards; }
    [[nodiscard]] QSpinBox &bound() { return *m_bound; }
    [[nodiscard]] QSpinBox &tune() { return *m_tune; }
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString warning() const;
    [[nodiscard]] QString emptyText() const;

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    struct Kept { // of a network
        std::shared_ptr<const DispatchTable> table;
        QString problem; // the table is not to be used with the network, or why there is none
    };
    void build();
    void addActions();
    void networkChanged();
    void make();
    void save();
    void keep(int network, std::shared_ptr<const DispatchTable> table);
    void check(int network);
    void showTable();
    void kernelChosen();
    void refresh();
    [[nodiscard]] QString whyEmpty() const;
    [[nodiscard]] std::shared_ptr<const DispatchTable> table() const;

    ViewContext m_context;
    OpenNetworks &m_networks;
    DispatchMaking *m_making;
    KernelTableModel *m_kernelModel;
    GuardModel *m_guardModel;
    QSortFilterProxyModel *m_order = nullptr;
    FlowBar *m_tools = nullptr;
    ElidedLabel *m_sentence = nullptr;
    QLabel *m_warning = nullptr;
    QLabel *m_empty = nullptr;
    QSplitter *m_split = nullptr;
    QSplitter *m_side = nullptr;
    QTableView *m_kernels = nullptr;
    QTableView *m_guards = nullptr;
    DispatchPlot *m_plot = nullptr;
    QSpinBox *m_bound = nullptr;
    QSpinBox *m_most = nullptr;
    QSpinBox *m_tune = nullptr;
    QAction *m_make = nullptr;
    QAction *m_cancel = nullptr;
    QAction *m_open = nullptr;
    QAction *m_save = nullptr;
    std::map<int, Kept> m_kept;       // by network
    std::map<int, QString> m_tuneLog; // likewise
    std::shared_ptr<const DispatchTable> m_shown;
    int m_network = 0;
    int m_madeFor = 0; // network whose table is being made
};

} // namespace loopscope
