#pragma once
// The layouts of the network that is shown: a table of its nodes under the sentence of the whole. A node that is chosen
// is selected in the network, and the other way round.

#include "views/implementations/layout_model.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

class QLabel;
class QTableView;

namespace loopscope {

class LayoutPage : public QWidget {
    Q_OBJECT

  public:
    explicit LayoutPage(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] QTableView &table() { return *m_table; }
    [[nodiscard]] const LayoutModel &model() const { return *m_model; }
    void networkChanged();

  private:
    void rowChanged();
    void followSelection();
    [[nodiscard]] QString emptyText() const;

    OpenNetworks &m_networks;
    LayoutModel *m_model;
    QTableView *m_table;
    QLabel *m_summary;
    QLabel *m_empty;
    int m_network = 0;
    bool m_following = false;
};

} // namespace loopscope
