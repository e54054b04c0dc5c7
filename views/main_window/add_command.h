#pragma once
// How the window registers its own actions: they live as long as the window and work anywhere in it.

#include "views/main_window/window_parts.h"

#include <QMainWindow>

#include <functional>

namespace loopscope {

/// `key` as QKeySequence reads it; empty for none.
inline QAction *addCommand(const WindowParts &parts, const QString &id, const QString &category, const QString &text,
                           const char *key, const QString &icon, const QString &tip, std::function<void()> run,
                           bool checkable = false) {
    return parts.context.actions.add({id, category, text, QKeySequence(QLatin1String(key)), tip, icon, checkable},
                                     &parts.window, std::move(run));
}

} // namespace loopscope
