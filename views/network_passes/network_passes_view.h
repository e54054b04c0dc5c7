#pragma once
// What passes made of the network that is shown: a row for each, in order. Going through the rows by the arrow keys
// shows the network after each of them, and what became of which node.

#include "views/network_passes/pass_model.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

class QLabel;
class QSplitter;
class QTableView;
class QTextBrowser;

namespace loopscope {

class NetworkPassesView : public QWidget {
    Q_OBJECT

  public:
    explicit NetworkPassesView(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] QTableView &table() { return *m_table; }
    [[nodiscard]] QTextBrowser &events() { return *m_events; }

  private:
    void networkChanged();
    void followForm();
    void showEvents();
    void refresh();

    ViewContext m_context;
    OpenNetworks &m_networks;
    PassModel *m_model;
    QTableView *m_table;
    QTextBrowser *m_events;
    QSplitter *m_split;
    QLabel *m_empty;
    int m_network = 0;
    bool m_following = false;
};

} // namespace loopscope
