#pragma once
// What the network that is shown is as a program, or what a shared library is: modules with functions, signatures,
// sizes and imports, and the text of each function in every form there is.

#include "views/actions/view_roles.h"
#include "views/network_modules/module_model.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <map>

class QComboBox;
class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QSplitter;
class QTreeView;

namespace loopscope {

class CodeText;
class ElidedLabel;
class FlowBar;

class NetworkModulesView : public QWidget, public FindRole {
    Q_OBJECT

  public:
    explicit NetworkModulesView(const ViewContext &context, QWidget *parent = nullptr);

    void startFind() override;
    /// Instead of the network, until that is asked for again.
    void openLibrary(const QString &path);
    [[nodiscard]] QTreeView &tree() { return *m_tree; }
    [[nodiscard]] CodeText &code() { return *m_code; }
    [[nodiscard]] QComboBox &form() { return *m_form; }
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString emptyText() const;

  private:
    void build();
    void addActions();
    void networkChanged();
    void buildNetwork();
    void take(int network, InspectedProgramPtr program);
    void failed(const QString &what, const QString &problem);
    void showProgram();
    void functionChosen();
    void showText();
    void followSelection();
    void openTask();
    void refresh();
    [[nodiscard]] QString programSentence() const;
    [[nodiscard]] QString whyEmpty() const;
    [[nodiscard]] QModelIndex chosen() const; // of the model
    [[nodiscard]] std::set<std::string> chosenSources() const;

    ViewContext m_context;
    OpenNetworks &m_networks;
    ModuleModel *m_model;
    QSortFilterProxyModel *m_order = nullptr;
    FlowBar *m_tools = nullptr;
    ElidedLabel *m_sentence = nullptr;
    QSplitter *m_split = nullptr;
    QTreeView *m_tree = nullptr;
    CodeText *m_code = nullptr;
    QComboBox *m_form = nullptr;
    QLineEdit *m_filter = nullptr;
    QLabel *m_empty = nullptr;
    QAction *m_build = nullptr;
    QAction *m_open = nullptr;
    QAction *m_task = nullptr;
    std::map<int, InspectedProgramPtr> m_built; // by network
    InspectedProgramPtr m_library;              // null: the network is looked at
    QString m_problem;
    int m_network = 0;
    int m_job = 0;  // that builds or reads
    int m_text = 0; // that makes a text
    bool m_following = false;
};

} // namespace loopscope
