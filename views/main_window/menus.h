#pragma once
// The menu bar, made from what is registered in Actions, and made anew when views register more.

#include "views/main_window/window_parts.h"

#include <QTimer>

class QMenu;

namespace loopscope {

class Menus : public QObject {
    Q_OBJECT

  public:
    explicit Menus(const WindowParts &parts, QObject *parent);

  private:
    void addToWindow(QAction *action);
    void rebuild();
    void fill(QMenu &menu, const QString &category, const std::vector<QAction *> &actions);
    void addOwnLayouts(QMenu &menu);

    WindowParts m_parts;
    QTimer m_soon;
};

} // namespace loopscope
