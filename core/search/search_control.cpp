#include "search/search_control.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

void SearchControl::offer(OfferedSchedule schedule) {
    const std::lock_guard lock(m_mutex);
    m_offers.push_back(std::move(schedule));
}

std::vector<OfferedSchedule> SearchControl::takeOffers(int task) {
    const std::lock_guard lock(m_mutex);
    const auto mine = std::stable_partition(m_offers.begin(), m_offers.end(),
                                            [&](const OfferedSchedule &offer) { return offer.task != task; });
    std::vector<OfferedSchedule> taken(std::make_move_iterator(mine), std::make_move_iterator(m_offers.end()));
    m_offers.erase(mine, m_offers.end());
    return taken;
}

void SearchControl::steer(int task, const TaskSteering &steering) {
    const std::lock_guard lock(m_mutex);
    m_steering[task] = steering;
}

TaskSteering SearchControl::steering(int task) const {
    const std::lock_guard lock(m_mutex);
    const auto at = m_steering.find(task);
    return at == m_steering.end() ? TaskSteering() : at->second;
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
