#include "views/main_window/schedule_keys.h"

#include "views/actions/actions.h"
#include "views/main_window/dock_host.h"

#include <QWidget>

namespace loopscope {

namespace {

const QStringList kOfSchedules{QStringLiteral("loops"), QStringLiteral("steps"), QStringLiteral("edits"),
                               QStringLiteral("code"), QStringLiteral("compare")};

} // namespace

void addScheduleKeys(const WindowParts &parts, QObject &owner) {
    // Whoever offers the actions may be made before or after the others.
    QObject::connect(&parts.docks, &DockHost::viewMade, &owner,
                     [&docks = parts.docks, &actions = parts.context.actions](const QString &, QWidget *) {
                         for (const Capability capability : {Capability::UndoEdit, Capability::RedoEdit})
                             if (QAction *action = actions.find(capability))
                                 for (const QString &id : kOfSchedules)
                                     if (QWidget *view = docks.existingView(id)) view->addAction(action);
                     });
}

} // namespace loopscope
