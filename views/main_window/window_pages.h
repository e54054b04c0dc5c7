#pragma once
// The two pages of the window: the start page, and the docks. Floating docks go with their page; views are made once
// the window has been painted.

#include "views/session/view_context.h"

#include <QStackedWidget>

namespace loopscope {

class DockHost;
class StartPage;

class WindowPages : public QStackedWidget {
    Q_OBJECT

  public:
    WindowPages(const ViewContext &context, DockHost &docks, QWidget *parent);

    [[nodiscard]] StartPage &startPage() { return *m_start; }
    [[nodiscard]] bool onStartPage() const;
    void showStartPage();
    void showWorkbench();
    /// Before anything is painted: there will be something in the docks.
    void expectWorkbench();
    [[nodiscard]] bool painted() const { return m_painted; }
    void setPainted() { m_painted = true; }

  signals:
    void turned();

  private:
    DockHost &m_docks;
    StartPage *m_start;
    bool m_painted = false;
};

} // namespace loopscope
