#pragma once
// The Layout menu: arrangements of the docks, the shipped ones and the user's own.

#include "views/main_window/window_parts.h"

#include <QObject>

namespace loopscope {

class LayoutCommands : public QObject {
    Q_OBJECT

  public:
    explicit LayoutCommands(const WindowParts &parts, QObject *parent);

  private:
    void saveAs();
    void refresh();

    WindowParts m_parts;
};

} // namespace loopscope
