#pragma once
// The network that is shown as a program of the virtual machine, run step by step: instructions with places to stop,
// the calls that are not over, what their registers hold, and each tensor as a picture or as numbers.

#include "views/network_bytecode/bytecode_model.h"
#include "views/network_bytecode/register_model.h"
#include "views/network_bytecode/stepped_run.h"
#include "views/network_bytecode/value_pane.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSpinBox;
class QSplitter;
class QTableView;

namespace loopscope {

class ElidedLabel;
class FlowBar;

class NetworkBytecodeView : public QWidget {
    Q_OBJECT

  public:
    explicit NetworkBytecodeView(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] SteppedRun &run() { return *m_run; }
    [[nodiscard]] QTableView &code() { return *m_code; }
    [[nodiscard]] QTableView &registers() { return *m_registers; }
    [[nodiscard]] QComboBox &calls() { return *m_calls; }
    [[nodiscard]] ValuePane &value() { return *m_value; }
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString emptyText() const;

  protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

  private:
    void build();
    void addActions();
    void networkChanged();
    void begin();
    void showRun();
    void showCalls();
    void showRegisters();
    void rowChanged();
    void refresh();
    void toggleStop(int row);
    [[nodiscard]] QString runSentence() const;
    [[nodiscard]] QString whyEmpty() const;

    ViewContext m_context;
    OpenNetworks &m_networks;
    SteppedRun *m_run;
    BytecodeModel *m_model;
    RegisterModel *m_held;
    FlowBar *m_tools = nullptr;
    ElidedLabel *m_sentence = nullptr;
    QSplitter *m_split = nullptr;
    QSplitter *m_side = nullptr;
    QTableView *m_code = nullptr;
    QTableView *m_registers = nullptr;
    QComboBox *m_calls = nullptr;
    QSpinBox *m_seed = nullptr;
    ValuePane *m_value = nullptr;
    QLabel *m_empty = nullptr;
    QAction *m_begin = nullptr;
    QAction *m_into = nullptr;
    QAction *m_over = nullptr;
    QAction *m_out = nullptr;
    QAction *m_on = nullptr;
    QAction *m_here = nullptr;
    QAction *m_halt = nullptr;
    QAction *m_stop = nullptr;
    QAction *m_noStops = nullptr;
    NetworkContentsPtr m_contents;
    QString m_chosen; // register that is looked at
    int m_network = 0;
    bool m_following = false;
    bool m_stale = true; // changed while nobody saw it
};

} // namespace loopscope
