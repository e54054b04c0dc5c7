#pragma once
// What every view needs around it: a session with settings of its own in a temporary folder, theme and actions. A test
// of a view adds the view and what it does with it.

#include "views/session/session.h"
#include "views/session/view_context.h"

#include <QTemporaryDir>

namespace loopscope {

struct ViewBench {
    QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    Theme theme;
    Actions actions;
    Session session{settings};
    ViewContext context{session, settings, theme, actions};
};

} // namespace loopscope
