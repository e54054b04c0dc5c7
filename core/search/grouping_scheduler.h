#pragma once
// The greedy grouping scheduler (core/schedule/grouping) behind the door of all schedulers. It measures nothing.

#include "schedule/grouping/group_dag.h"
#include "schedule/grouping/loop_plan.h"
#include "search/scheduler.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// What a grouped schedule came from.
struct GroupingResult {
    Grouping grouping;
    std::vector<GroupPlan> plans;
    std::vector<std::string> notes; // where a step differs from its plan; a sentence each
};

/// Tells each merge as it is done (StageMerged), in fixed of every way it tries, and in notes which of them it takes
/// and what differs from the plan. For GPUs, too, a kernel for each group.
class GroupingScheduler final : public Scheduler {
  public:
    explicit GroupingScheduler(const GroupingOptions &options = {}) : m_options(options) {}
    [[nodiscard]] std::string_view name() const override { return "grouping"; }
    Outcome<LoopState> schedule(const Task &task, SearchObserver &observer, SearchControl *control) override;
    /// Of the last schedule; none before, and after a refusal.
    [[nodiscard]] const std::optional<GroupingResult> &result() const { return m_result; }

  private:
    GroupingOptions m_options;
    std::optional<GroupingResult> m_result;
};

} // namespace loopscope
