#pragma once
// Layout and page of the window, for session files.

#include <QByteArray>

namespace loopscope {

class WindowLayouts;
class WindowPages;

struct WindowShape {
    WindowLayouts &layouts;
    WindowPages &pages;

    [[nodiscard]] QByteArray bytes() const;
    /// Of another version: ignored.
    void restore(const QByteArray &shape) const;
};

} // namespace loopscope
