#pragma once
// How whoever started a search steers it from another thread: pause, resume, cancel. A pause takes hold at the next
// safe point (between phases, generations, builds and runs), so that what is under way ends undisturbed and the search
// goes on with the very candidates it would have had; a cancel ends whatever is under way. And how somebody puts a
// schedule of his own into the search.

#include "schedule/step.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace loopscope {

/// A schedule somebody made while the search ran.
struct OfferedSchedule {
    Steps steps;
    std::string by; // who, in words for people
    int task = 0;   // its number in the search
};

/// What somebody wants of one of several tasks while they are searched.
struct TaskSteering {
    bool paused = false;   // no round until that is taken back
    bool pinned = false;   // while any task is, the others wait
    bool excluded = false; // it gets no further round; what it has counts
    double boost = 1;      // its kernel counts as if it ran so many times as often
    bool operator==(const TaskSteering &) const = default;
};

class SearchControl {
  public:
    void pause();
    void resume();
    /// Also ends a pause. Only stores to a lock-free flag, so that a signal handler may call it.
    void cancel() { m_cancelled = true; }
    [[nodiscard]] bool paused() const { return m_paused; }
    [[nodiscard]] bool cancelled() const { return m_cancelled; }

    /// Measured in the next batch of its task, and bred from, unless it is illegal or breaks a lock; the search tells
    /// which (ScheduleOffered).
    void offer(OfferedSchedule schedule);
    /// What was offered to the task since the last call.
    std::vector<OfferedSchedule> takeOffers(int task);

    /// Of a search of several tasks: takes hold when the next round is given to one of them.
    void steer(int task, const TaskSteering &steering);
    [[nodiscard]] TaskSteering steering(int task) const;

    /// For what polls.
    [[nodiscard]] const std::atomic<bool> &pausedFlag() const { return m_paused; }
    [[nodiscard]] const std::atomic<bool> &cancelledFlag() const { return m_cancelled; }
    /// A safe point: returns when the search is not paused or has been cancelled, or once `stopped` is raised.
    void waitWhilePaused(const std::atomic<bool> &stopped) const;
    /// Time spent paused so far.
    [[nodiscard]] double pausedSeconds() const;

  private:
    using Clock = std::chrono::steady_clock;
    static_assert(std::atomic<bool>::is_always_lock_free);
    std::atomic<bool> m_paused{false};
    std::atomic<bool> m_cancelled{false};
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_resumed;
    Clock::time_point m_pausedSince; // while paused
    double m_before = 0;             // seconds of earlier pauses
    std::vector<OfferedSchedule> m_offers;
    std::map<int, TaskSteering> m_steering;
};

} // namespace loopscope
