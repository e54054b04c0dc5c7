#pragma once
// Everything that ends or holds a search, as what its parts look at: one flag that is raised by a cancel and by the
// time limit alike, one safe point to wait at, one clock that stands still during a pause.

#include "search/search_control.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace loopscope {

class StopWatch {
  public:
    /// Limit 0: none.
    StopWatch(const SearchControl &control, double limitSeconds)
        : m_control(control), m_start(Clock::now()), m_pausedBefore(control.pausedSeconds()),
          m_thread([this, limitSeconds] { watch(limitSeconds); }) {}
    ~StopWatch() {
        {
            const std::lock_guard lock(m_mutex);
            m_done = true;
        }
        m_wake.notify_all();
        m_thread.join();
    }
    StopWatch(const StopWatch &) = delete;
    StopWatch &operator=(const StopWatch &) = delete;

    /// Raised once, so that a measurement under way ends too.
    std::atomic<bool> stopped{false};
    [[nodiscard]] const std::atomic<bool> &paused() const { return m_control.pausedFlag(); }

    /// A safe point: waits while paused. False: the search has to end.
    [[nodiscard]] bool proceed() {
        m_control.waitWhilePaused(stopped);
        if (m_control.cancelled()) stopped = true;
        return !stopped;
    }
    /// Seconds since the start, pauses left out.
    [[nodiscard]] double elapsed() const {
        const double paused = m_control.pausedSeconds() - m_pausedBefore;
        return std::chrono::duration<double>(Clock::now() - m_start).count() - paused;
    }

  private:
    using Clock = std::chrono::steady_clock;

    void watch(double limitSeconds) {
        std::unique_lock lock(m_mutex);
        while (!m_done) {
            if (m_control.cancelled() || (limitSeconds > 0 && elapsed() > limitSeconds)) stopped = true;
            m_wake.wait_for(lock, std::chrono::milliseconds(20));
        }
    }

    const SearchControl &m_control;
    Clock::time_point m_start;
    double m_pausedBefore;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_done = false;
    std::thread m_thread;
};

} // namespace loopscope
