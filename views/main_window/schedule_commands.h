#pragma once
// The common door to schedulers, in the window: the schedule of the task shown is made by grouping, by a search, or is
// the naive one; and a search begins with one that is there.

#include "views/main_window/window_parts.h"

#include <QObject>

#include <vector>

class QAction;

namespace loopscope {

class ScheduleCommands : public QObject {
    Q_OBJECT

  public:
    ScheduleCommands(const WindowParts &parts, QObject *parent);

  private:
    void bySearch();
    void follow();

    WindowParts m_parts;
    std::vector<QAction *> m_actions; // that need a workload
};

} // namespace loopscope
