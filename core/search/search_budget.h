#pragma once
// What a search may still use, and everything that ends or holds it, as its parts look at it: one flag that is raised
// by a cancel and by the time limit alike, one safe point to wait at, one clock that stands still during a pause, and
// its share of the machine while it computes.

#include "measure/timing/machine_use.h"
#include "search/search_control.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace loopscope {

class SearchBudget {
  public:
    /// Limit 0: none. `spentSeconds` of it were over before. A search that has found nothing by then, because the
    /// machine was busy or because a single trial takes so long, goes on until it has, at most as long again.
    SearchBudget(SearchControl &control, double limitSeconds, double spentSeconds = 0)
        : m_control(control), m_start(Clock::now()), m_pausedBefore(control.pausedSeconds()),
          m_thread([this, limitSeconds, spentSeconds] { watch(limitSeconds, spentSeconds); }) {}
    ~SearchBudget() {
        {
            const std::lock_guard lock(m_mutex);
            m_done = true;
        }
        m_wake.notify_all();
        m_thread.join();
    }
    SearchBudget(const SearchBudget &) = delete;
    SearchBudget &operator=(const SearchBudget &) = delete;

    /// Raised once, so that a measurement under way ends too.
    std::atomic<bool> stopped{false};
    [[nodiscard]] const std::atomic<bool> &paused() const { return m_control.pausedFlag(); }

    [[nodiscard]] std::vector<OfferedSchedule> takeOffers(int task) { return m_control.takeOffers(task); }
    [[nodiscard]] TaskSteering steering(int task) const { return m_control.steering(task); }

    /// There is a valid trial: from now on the time limit holds as it is.
    void found() { m_found = true; }

    /// The time limit is over, and the search goes on only for want of a valid trial.
    [[nodiscard]] bool extended() const { return m_extended; }

    /// A safe point: waits while paused, and while a kernel is timed elsewhere. False: the search has to end.
    [[nodiscard]] bool proceed() {
        if (m_work && m_control.paused()) m_work->rest();
        m_control.waitWhilePaused(stopped);
        if (m_control.cancelled()) stopped = true;
        if (m_work && !stopped) m_work->giveWay();
        return !stopped;
    }
    /// Has its share of the machine for as long as the value lives; no kernel is timed meanwhile.
    struct Working {
        explicit Working(SearchBudget &watch) : m_watch(watch) {
            if (auto use = MachineUse::begin(MachineUse::Kind::Work, &watch.stopped))
                m_watch.m_work.emplace(std::move(*use));
        }
        ~Working() { m_watch.m_work.reset(); }
        Working(const Working &) = delete;
        Working &operator=(const Working &) = delete;

      private:
        SearchBudget &m_watch;
    };
    /// Seconds since the start, pauses left out.
    [[nodiscard]] double elapsed() const {
        const double paused = m_control.pausedSeconds() - m_pausedBefore;
        return std::chrono::duration<double>(Clock::now() - m_start).count() - paused;
    }

  private:
    using Clock = std::chrono::steady_clock;

    void watch(double limitSeconds, double spentSeconds) {
        std::unique_lock lock(m_mutex);
        while (!m_done) {
            const double spent = spentSeconds + elapsed();
            const bool over = limitSeconds > 0 && spent > (m_found ? limitSeconds : 2 * limitSeconds);
            if (m_control.cancelled() || over) stopped = true;
            m_extended = limitSeconds > 0 && spent > limitSeconds;
            m_wake.wait_for(lock, std::chrono::milliseconds(20));
        }
    }

    SearchControl &m_control;
    Clock::time_point m_start;
    double m_pausedBefore;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_done = false;
    std::atomic<bool> m_found{false};
    std::atomic<bool> m_extended{false};
    std::optional<MachineUse> m_work;
    std::thread m_thread;
};

} // namespace loopscope
