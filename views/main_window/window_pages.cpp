#include "views/main_window/window_pages.h"

#include "views/main_window/dock_host.h"
#include "views/start_page/start_page.h"

namespace loopscope {

WindowPages::WindowPages(const ViewContext &context, DockHost &docks, QWidget *parent)
    : QStackedWidget(parent), m_docks(docks), m_start(new StartPage(context, this)) {
    addWidget(m_start);
    addWidget(&m_docks);
    // Docks put side by side may ask for more than any screen has: the window does not grow for them.
    const QFontMetrics metrics = parent->fontMetrics();
    setMinimumSize(metrics.averageCharWidth() * 50, metrics.height() * 12);
}

bool WindowPages::onStartPage() const { return currentWidget() == m_start; }

void WindowPages::showStartPage() {
    m_docks.setFloatingShown(false);
    setCurrentWidget(m_start);
    m_start->setFocus();
    Q_EMIT turned();
}

void WindowPages::showWorkbench() {
    if (!onStartPage()) return;
    setCurrentWidget(&m_docks);
    m_docks.setFloatingShown(true);
    if (m_painted) m_docks.startMaking();
    Q_EMIT turned();
}

void WindowPages::expectWorkbench() { setCurrentWidget(&m_docks); }

} // namespace loopscope
