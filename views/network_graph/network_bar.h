#pragma once
// Which networks are open, a tab each, and how it stands with the one shown.

#include "views/session/view_context.h"

#include <QWidget>

class QLabel;
class QTabBar;

namespace loopscope {

class FlowBar;
class ElidedLabel;
class OpenNetworks;
struct NetworkFacts;
struct OpenNetwork;

class NetworkBar : public QWidget {
    Q_OBJECT

  public:
    NetworkBar(const ViewContext &context, QWidget *parent);

    [[nodiscard]] FlowBar *tools() const { return m_tools; }
    [[nodiscard]] QTabBar *tabs() const { return m_tabs; }
    /// Null: not known yet.
    void setFacts(const NetworkFacts *facts);
    [[nodiscard]] QString sentence() const;

  private:
    void refreshTabs();

    OpenNetworks &m_networks;
    QTabBar *m_tabs;
    FlowBar *m_tools;
    ElidedLabel *m_sentence;
    bool m_refreshing = false;
};

/// "910 nodes, 5.67 G FLOP, 30.8 MiB of weights; 242 kernels · 72 tasks to tune".
QString networkSentence(const NetworkFacts &facts, const OpenNetwork &network);

} // namespace loopscope
