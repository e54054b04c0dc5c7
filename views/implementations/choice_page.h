#pragma once
// The nodes of the network that is shown with the implementations they got, and why the one that is chosen got its own.
// A node that is chosen is selected in the network, and the other way round; links of the page pin.

#include "views/implementations/decision_model.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

class QLabel;
class QSplitter;
class QTableView;
class QTextBrowser;
class QUrl;

namespace loopscope {

class ChoicePage : public QWidget {
    Q_OBJECT

  public:
    explicit ChoicePage(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] QTableView &table() { return *m_table; }
    [[nodiscard]] QTextBrowser &why() { return *m_why; }
    [[nodiscard]] const DecisionModel &model() const { return *m_model; }
    /// Nodes that have more than one offer, or all.
    [[nodiscard]] QString sentence() const;
    /// Null: none is chosen.
    [[nodiscard]] const Decision *chosen() const;
    void networkChanged();

  signals:
    void operatorAsked(const QString &name);
    void changed();

  private:
    void rowChanged();
    void followSelection();
    void linkClicked(const QUrl &link);
    [[nodiscard]] QString emptyText() const;

    ViewContext m_context;
    OpenNetworks &m_networks;
    DecisionModel *m_model;
    QTableView *m_table;
    QTextBrowser *m_why;
    QSplitter *m_split;
    QLabel *m_empty;
    std::string m_node; // that is chosen
    int m_network = 0;
    bool m_following = false;
};

} // namespace loopscope
