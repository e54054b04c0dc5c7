#pragma once
// The tool bar: where one is, the one button of the search, the layouts.

#include "views/main_window/window_parts.h"

#include <QTimer>
#include <QToolBar>

class QToolButton;

namespace loopscope {

class MainToolBar : public QToolBar {
    Q_OBJECT

  public:
    explicit MainToolBar(const WindowParts &parts);

    /// With the next turn of the event loop: views enable their actions on the same signals.
    void refreshSoon() { m_soon.start(); }

  private:
    void fill();
    QToolButton *addButton(const char *name);
    void refreshSearch();
    void refreshLayouts();
    [[nodiscard]] QAction *searchAction() const; // what the primary button does now; null while no view offers it

    WindowParts m_parts;
    QTimer m_soon;
    QToolButton *m_search = nullptr;
    QString m_primaryLook; // icon of m_search and whether it can be pressed; empty: to be dressed anew
    QToolButton *m_stop = nullptr;
    QAction *m_stopAction = nullptr;
    QToolButton *m_layout = nullptr;
};

} // namespace loopscope
