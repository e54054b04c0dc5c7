#pragma once
// A scheduler turns a task into a schedule. Whoever wants one need not know how it is found: by a search, from a list
// of steps, by rules. What one makes any other may start from, since all make a LoopState.

#include "base/outcome.h"
#include "language/task/task.h"
#include "schedule/loop_state.h"
#include "search/search_control.h"
#include "search/search_observer.h"
#include "search/tuner.h"

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

class Scheduler {
  public:
    virtual ~Scheduler() = default;
    /// One word for people: "naive".
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// A schedule of the task, whose lengths are all known; or one sentence why there is none. What happens on the way
    /// is told to `observer`, which may be one that listens to nothing; `control`, when given, may end it from another
    /// thread.
    virtual Outcome<LoopState> schedule(const Task &task, SearchObserver &observer, SearchControl *control) = 0;
};

/// For schedulers that nobody watches.
class SilentObserver final : public SearchObserver {
  public:
    void on(const SearchEvent & /*event*/) override {}
};

/// The loops as the workload has them; for a GPU a thread for each element (naive_schedule.h).
std::unique_ptr<Scheduler> makeNaiveScheduler();
/// The steps, of a log or by hand; refused when they do not replay on the task.
std::unique_ptr<Scheduler> makeReplayScheduler(Steps steps);

/// The best that a search found, which went on from `resumed`. Refused where the locks left nothing to search, and when
/// no candidate is valid.
Outcome<LoopState> foundSchedule(const Task &task, std::span<const Trial> resumed, const SearchResult &result);

} // namespace loopscope
