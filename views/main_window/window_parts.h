#pragma once
// What the window's commands work on: the parts that MainWindow is put together from.

#include "views/session/view_context.h"

class QMainWindow;

namespace loopscope {

class DockHost;
class LastSession;
class WindowLayouts;
class WindowPages;

struct WindowParts {
    ViewContext context;
    QMainWindow &window; // owns the actions and dialogs
    DockHost &docks;
    WindowLayouts &layouts;
    WindowPages &pages;
    LastSession &last;
};

} // namespace loopscope
