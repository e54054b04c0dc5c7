#pragma once
// Rounds whose candidates are being measured. One at a time is measured by the caller's own thread; several at a time
// have a thread each, and what comes of them is told on the caller's all the same: round after round of a task, and
// learnt in the order in which the rounds were begun. So what a search does depends on how many rounds may be under
// way, and not on which of them is faster.

#include "search/task_search.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>

namespace loopscope {

class RoundsUnderWay {
  public:
    /// `most` 1: nothing is measured before `endOldest`.
    RoundsUnderWay(SearchBudget &watch, int most) : m_watch(watch), m_most(static_cast<size_t>(most)) {}
    ~RoundsUnderWay(); // where a measurement threw: ends the search
    RoundsUnderWay(const RoundsUnderWay &) = delete;
    RoundsUnderWay &operator=(const RoundsUnderWay &) = delete;

    [[nodiscard]] bool full() const { return m_rounds.size() >= m_most; }
    [[nodiscard]] bool empty() const { return m_rounds.empty(); }
    [[nodiscard]] size_t of(size_t task) const;

    void begin(size_t task, TaskSearch &search, std::unique_ptr<TaskRound> round);
    /// Waits until the oldest is measured, and its task has learnt from it; tells meanwhile what comes of all. Returns
    /// the task. Throws what its measurer threw, when all that was measured until then has been told.
    size_t endOldest();

  private:
    struct Advance {
        size_t index;
        TrialStage stage;
    };
    struct End {
        size_t index;
        Trial trial;
    };
    using News = std::variant<Advance, End>;
    struct Measured {
        size_t task = 0;
        TaskSearch *search = nullptr;
        std::unique_ptr<TaskRound> round;
        bool alone = true;
        std::thread thread;
        // With the mutex held:
        std::deque<News> news;
        bool over = false;
        std::exception_ptr problem;
    };
    void measure(Measured &measured, const std::function<void(size_t, TrialStage)> &onStage,
                 const std::function<void(size_t, const Trial &)> &onTrial);
    bool tellNews(std::unique_lock<std::mutex> &lock);
    void endAll();
    static void tell(Measured &measured, const News &news);

    SearchBudget &m_watch;
    size_t m_most;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::unique_ptr<Measured>> m_rounds; // oldest first; of the caller's thread
};

} // namespace loopscope
