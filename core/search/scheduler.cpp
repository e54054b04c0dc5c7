#include "search/scheduler.h"

#include "search/naive_schedule.h"
#include "search/target_rules.h"

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

SearchScheduler::SearchScheduler(const SearchOptions &options, Measurer &measurer, CostModel &model,
                                 std::span<const Trial> resumed)
    : m_options(options), m_measurer(measurer), m_model(model), m_resumed(resumed) {}

Outcome<LoopState> SearchScheduler::schedule(const Task &task, SearchObserver &observer, SearchControl *control) {
    m_result = {};
    const std::unique_ptr<TaskOrder> order = makeRoundRobinOrder();
    const TaskJob job{task, m_options, m_measurer, m_model, m_resumed, 1, m_startFrom};
    const TuneTasksOptions all{m_options.timeLimitSeconds, m_options.spentSeconds, m_options.threads};
    m_result = std::move(tuneTasks({job}, all, *order, observer, control).front());
    if (m_result.refused) return *m_result.refused;
    if (m_result.best)
        return replay(
            task.dag,
            (m_result.bestIsResumed ? m_resumed[*m_result.best] : m_result.trials[*m_result.best]).steps.unpack());
    const size_t measured = m_resumed.size() + m_result.trials.size();
    return Refusal{fmt::format("the search {} no valid schedule among {} trial{}",
                               m_result.cancelled ? "was ended with" : "found", measured, measured == 1 ? "" : "s")};
}

} // namespace loopscope
