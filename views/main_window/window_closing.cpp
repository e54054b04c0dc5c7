#include "views/main_window/window_closing.h"

#include "views/main_window/last_session.h"
#include "views/main_window/window_layouts.h"
#include "views/main_window/window_shape.h"
#include "views/session/network_tuning.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QMainWindow>

namespace loopscope {

namespace {
constexpr int kWaitForSearch = 8000; // ms a closed window waits for its search to end in an orderly way
} // namespace

WindowClosing::WindowClosing(const WindowParts &parts, QObject *parent) : QObject(parent), m_parts(parts) {
    m_wait.setInterval(50);
    connect(&m_wait, &QTimer::timeout, this, [this] {
        Session &session = m_parts.context.session;
        const bool searching = session.search().underWay() || session.tuning().searched() != 0;
        if (searching && m_since.elapsed() < kWaitForSearch) return;
        m_wait.stop();
        finish();
    });
}

bool WindowClosing::begin() {
    Session &session = m_parts.context.session;
    m_parts.context.settings.setValue(QStringLiteral("window/geometry"), m_parts.window.saveGeometry());
    m_parts.layouts.keep();
    if (const TaskState *state = session.search().task(); state && state->search.state != SearchState::Stopping)
        m_parts.last.leaveWord(tr("The search of %1 was stopped when the window was closed, after %2 of %3; what was "
                                  "measured is in %4. Continue it with Search > Continue with more trials.")
                                   .arg(taskTitle(*state))
                                   .arg(state->search.done)
                                   .arg(trialCountText(static_cast<size_t>(state->search.total)))
                                   .arg(state->logPath));
    session.jobs().cancelAll();
    m_parts.window.hide(); // what follows may take a moment
    if (!session.search().underWay() && session.tuning().searched() == 0) {
        finish();
        return true;
    }
    // The search ends in its own time, which is that of one measurement at most.
    m_underWay = true;
    session.search().stop();
    session.tuning().stop();
    m_since.start();
    m_wait.start();
    return false;
}

void WindowClosing::finish() {
    m_parts.last.end(WindowShape{m_parts.layouts, m_parts.pages}.bytes());
    m_parts.context.settings.sync();
    Q_EMIT finished();
}

} // namespace loopscope
