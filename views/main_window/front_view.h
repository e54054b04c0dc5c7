#pragma once
// Which view a command is for: Find, Zoom, Export mean the one that holds the focus, or the one in front.

#include "views/main_window/dock_host.h"
#include "views/main_window/window_pages.h"
#include "views/main_window/window_parts.h"
#include "views/start_page/start_page.h"

#include <QApplication>

namespace loopscope {

/// The view in front that has the role (views/actions/view_roles.h); null for none. `view` gets the widget.
template <typename ViewRole> ViewRole *frontRole(const WindowParts &parts, QWidget **view = nullptr) {
    const auto give = [view](QWidget *widget) -> ViewRole * {
        auto *role = dynamic_cast<ViewRole *>(widget);
        if (role && view) *view = widget;
        return role;
    };
    // From the focus outwards, then the view in front and what it shows.
    for (QWidget *widget = QApplication::focusWidget(); widget && widget != &parts.window;
         widget = widget->parentWidget())
        if (auto *role = give(widget)) return role;
    QWidget *front = parts.pages.onStartPage() ? &parts.pages.startPage() : parts.docks.frontView();
    if (!front) return nullptr;
    if (auto *role = give(front)) return role;
    for (auto *child : front->findChildren<QWidget *>())
        if (child->isVisible())
            if (auto *role = give(child)) return role;
    return nullptr;
}

} // namespace loopscope
