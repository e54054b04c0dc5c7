#include "search/search_control.h"

namespace loopscope {

namespace {
double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
} // namespace

void SearchControl::pause() {
    const std::lock_guard lock(m_mutex);
    if (m_paused.exchange(true)) return;
    m_pausedSince = Clock::now();
}

void SearchControl::resume() {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_paused.exchange(false)) return;
        m_before += since(m_pausedSince);
    }
    m_resumed.notify_all();
}

void SearchControl::waitWhilePaused(const std::atomic<bool> &stopped) const {
    // A cancel does not notify, see there; so it is looked for.
    constexpr auto kLook = std::chrono::milliseconds(20);
    std::unique_lock lock(m_mutex);
    while (m_paused && !m_cancelled && !stopped) m_resumed.wait_for(lock, kLook);
}

double SearchControl::pausedSeconds() const {
    const std::lock_guard lock(m_mutex);
    return m_before + (m_paused ? since(m_pausedSince) : 0);
}

} // namespace loopscope
