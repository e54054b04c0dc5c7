#pragma once
// What passes made of the network that is shown: a row for each, in order. Going through the rows by the arrow keys
// shows the network after each of them, what became of which node, and in what any two of these forms differ.

#include "views/network_passes/pass_model.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

class QLabel;
class QSplitter;
class QTabWidget;
class QTableView;
class QTextBrowser;

namespace loopscope {

class FormDiffPage;

class NetworkPassesView : public QWidget {
    Q_OBJECT

  public:
    explicit NetworkPassesView(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] QTableView &table() { return *m_table; }
    [[nodiscard]] QTabWidget &pages() { return *m_pages; }
    [[nodiscard]] FormDiffPage &difference() { return *m_difference; }
    [[nodiscard]] QTextBrowser &events() { return *m_events; }

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    void networkChanged();
    void followForm();
    void showEvents();
    void compareAround();
    void refresh();

    ViewContext m_context;
    OpenNetworks &m_networks;
    PassModel *m_model;
    QTableView *m_table;
    QTextBrowser *m_events;
    FormDiffPage *m_difference;
    QTabWidget *m_pages;
    QSplitter *m_split;
    QLabel *m_empty;
    int m_network = 0;
    bool m_following = false;
};

} // namespace loopscope
