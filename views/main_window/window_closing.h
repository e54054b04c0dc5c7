#pragma once
// Closing the window: what is open is kept, jobs are cancelled, and the search may take a moment to end.

#include "views/main_window/window_parts.h"

#include <QElapsedTimer>
#include <QTimer>

namespace loopscope {

class WindowClosing : public QObject {
    Q_OBJECT

  public:
    explicit WindowClosing(const WindowParts &parts, QObject *parent);

    [[nodiscard]] bool underWay() const { return m_underWay; }
    /// False when the search has to end first: `finished` follows. The window is hidden either way.
    bool begin();

  signals:
    void finished();

  private:
    void finish();

    WindowParts m_parts;
    QTimer m_wait;
    QElapsedTimer m_since;
    bool m_underWay = false;
};

} // namespace loopscope
