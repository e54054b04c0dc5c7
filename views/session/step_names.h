#pragma once
// The steps of a schedule in words. A step numbers stages and loops as they are at the moment it is applied, which no
// reader can follow; here each carries the names it had then ("conv2d", "ff"). Views that lay steps out in their own
// way take the names and kinds from here. Runs on any thread.

#include "schedule/loop_state.h"

#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <vector>

namespace loopscope {

/// What a kind of step is called wherever one word has to do: "split", "compute at".
QString stepKind(const Step &step);

/// Names of stages and loops in the state in front of a step; numbers where there is no such stage or loop.
class StepNames {
  public:
    explicit StepNames(const LoopState *state) : m_state(state) {} // null: numbers are all there is

    [[nodiscard]] QString stage(StageId id) const;
    [[nodiscard]] QString loop(StageId id, IterId iter) const;
    [[nodiscard]] QString loopOfStage(StageId id, IterId iter) const; // "conv2d.ff"
    [[nodiscard]] QStringList loops(StageId id, const std::vector<IterId> &iters) const;
    [[nodiscard]] QStringList stages(const std::vector<StageId> &ids) const;

  private:
    [[nodiscard]] bool has(StageId id) const;
    const LoopState *m_state;
};

/// A step at the moment it is applied.
struct AppliedStep {
    const Step &step;
    const LoopState *before; // null: the workload is not known, or a step before this one was refused
    const LoopState *after;  // null as well where this one is refused
    QString refusal;         // why it is; empty when it is not looked at
    [[nodiscard]] StepNames names() const { return StepNames(before); }
};
/// Calls `see` for every step in order, and gives the state that was reached; none without a dag.
std::optional<LoopState> replayNamed(const DagPtr &dag, const Steps &steps,
                                     const std::function<void(const AppliedStep &)> &see);

struct NamedStep {
    QString tag;      // "SP"
    QString stage;    // it is applied to
    QString iterator; // the loop, or the loops joined by ", "; empty for steps of a whole stage
    /// "split conv2d.ff into 1 × 8 × 16 × 4"
    QString sentence;
};

/// In the names of the state in front of it.
NamedStep nameStep(const StepNames &names, const Step &step);

struct NamedSteps {
    std::vector<NamedStep> steps; // one for each; those after a refused step carry numbers instead of names
    QString refusal;              // why they do not replay; empty when they do
};

/// Without a dag (the workload is not known) every step carries numbers.
NamedSteps nameSteps(const DagPtr &dag, const Steps &steps);

/// Trip counts of the loops a split makes, outermost first: one more than its lengths. 0 where unknown.
std::vector<int64_t> splitParts(const SplitStep &split);

} // namespace loopscope
