#pragma once
// How the sketch tree registers its actions: ids of its own, one category, icons of the theme. They work while the
// owner has the focus.

#include "views/session/view_context.h"

#include <QAction>
#include <QKeySequence>

#include <functional>

namespace loopscope {

struct TreeActions {
    const ViewContext &context;
    QObject *owner;

    QAction *add(const char *id, const QString &text, const QKeySequence &keys, const QString &tip, const char *icon,
                 std::function<void()> run) const;
    QAction *toggle(const char *id, const QString &text, const QKeySequence &keys, const QString &tip, bool on,
                    std::function<void(bool)> run) const;
};

} // namespace loopscope
