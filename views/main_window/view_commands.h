#pragma once
// The View menu: pages, docks, find, zoom, light and dark.

#include "views/main_window/window_parts.h"

#include <QObject>

namespace loopscope {

class ViewCommands : public QObject {
    Q_OBJECT

  public:
    explicit ViewCommands(const WindowParts &parts, QObject *parent);

  private:
    void addPages();
    void addZoom();
    void addThemes();
    void findInView();
    void zoomView(int direction); // 0 = to fit
    void setTheme(ThemeChoice choice);

    WindowParts m_parts;
};

} // namespace loopscope
