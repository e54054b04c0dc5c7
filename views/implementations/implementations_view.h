#pragma once
// Which of its implementations each operator of the network gets, by what rule, why, and what the user wants instead;
// beside it in which layout data lies between them, and the catalogue of all operators there are.

#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

class QComboBox;
class QTabWidget;

namespace loopscope {

class ChoicePage;
class ElidedLabel;
class FlowBar;
class LayoutPage;
class OperatorPage;

class ImplementationsView : public QWidget {
    Q_OBJECT

  public:
    explicit ImplementationsView(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] ChoicePage &choices() { return *m_choices; }
    [[nodiscard]] LayoutPage &layouts() { return *m_layoutPage; }
    [[nodiscard]] OperatorPage &operators() { return *m_operators; }
    [[nodiscard]] QTabWidget &pages() { return *m_pages; }
    [[nodiscard]] QString sentence() const;

  private:
    void build();
    void networkChanged();
    void choose();
    void lookAgain();
    void unpinAll();
    void refresh();
    [[nodiscard]] std::vector<std::string> logs() const;

    ViewContext m_context;
    OpenNetworks &m_networks;
    FlowBar *m_tools = nullptr;
    QComboBox *m_rule = nullptr;
    QComboBox *m_worst = nullptr;
    QComboBox *m_layouts = nullptr;
    QAction *m_again = nullptr;
    QAction *m_unpin = nullptr;
    ElidedLabel *m_sentence = nullptr;
    QTabWidget *m_pages = nullptr;
    ChoicePage *m_choices = nullptr;
    LayoutPage *m_layoutPage = nullptr;
    OperatorPage *m_operators = nullptr;
};

} // namespace loopscope
