#include "search/scheduler.h"

#include "search/naive_schedule.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

class NaiveScheduler final : public Scheduler {
  public:
    [[nodiscard]] std::string_view name() const override { return "naive"; }
    Outcome<LoopState> schedule(const Task &task, SearchObserver & /*observer*/, SearchControl * /*control*/) override {
        return replay(task.dag, naiveSteps(task));
    }
};

class ReplayScheduler final : public Scheduler {
  public:
    explicit ReplayScheduler(Steps steps) : m_steps(std::move(steps)) {}
    [[nodiscard]] std::string_view name() const override { return "replay"; }
    Outcome<LoopState> schedule(const Task &task, SearchObserver & /*observer*/, SearchControl * /*control*/) override {
        return replay(task.dag, m_steps);
    }

  private:
    Steps m_steps;
};

} // namespace

std::unique_ptr<Scheduler> makeNaiveScheduler() { return std::make_unique<NaiveScheduler>(); }

std::unique_ptr<Scheduler> makeReplayScheduler(Steps steps) {
    return std::make_unique<ReplayScheduler>(std::move(steps));
}

Outcome<LoopState> foundSchedule(const Task &task, std::span<const Trial> resumed, const SearchResult &result) {
    if (result.refused) return *result.refused;
    if (result.best)
        return replay(task.dag,
                      (result.bestIsResumed ? resumed[*result.best] : result.trials[*result.best]).steps.unpack());
    const size_t measured = resumed.size() + result.trials.size();
    return Refusal{fmt::format("the search {} no valid schedule among {} trial{}",
                               result.cancelled ? "was ended with" : "found", measured, measured == 1 ? "" : "s")};
}

} // namespace loopscope
