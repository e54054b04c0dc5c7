#pragma once
// What the window does about networks: one that is opened is seen at once, and a task of it that somebody wants to work
// on becomes a workload of the workbench.

#include "views/main_window/window_parts.h"

#include <QObject>

#include <map>

namespace loopscope {

class NetworkWorkbench : public QObject {
    Q_OBJECT

  public:
    NetworkWorkbench(const WindowParts &parts, QObject *parent);

  private:
    void openTask(int network, size_t task);
    void takeTrials();

    WindowParts m_parts;
    std::map<int, QString> m_logs; // by document: of the network's search, whose trials it is to have
};

} // namespace loopscope
