#pragma once
// The search, live: SearchPanel joined to the session. Passes on what the user asks for, follows what the session and
// the selection tell, and puts the search's commands among the window's actions.

#include "views/actions/view_roles.h"
#include "views/session/view_context.h"

#include <QTimer>
#include <QWidget>

namespace loopscope {

class SearchPanel;

class SearchView final : public QWidget, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit SearchView(const ViewContext &context, QWidget *parent = nullptr);

    // Of the plot that is enlarged, alone, or was touched last.
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;

    [[nodiscard]] SearchPanel &panel() const { return *m_panel; }

  private:
    void addActions();
    void followDocument();
    void followStatus();
    void followSelection();
    void followStart();
    void followMachine();
    void selectTrial(int trial);

    ViewContext m_context;
    SearchPanel *m_panel;
    QTimer m_clock;
    int m_document = 0; // id of the one shown
    QAction *m_start = nullptr;
    QAction *m_pause = nullptr;
    QAction *m_resume = nullptr;
    QAction *m_stop = nullptr;
    QAction *m_continue = nullptr;
    QAction *m_measureMachine = nullptr;
};

} // namespace loopscope
