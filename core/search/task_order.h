#pragma once
// Which of several tasks is searched next: after every round an order looks at how far each has come. Nothing here
// measures or searches, so that an order can be tested on made-up numbers.

#include "language/dag/compute_dag.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// How far one task's search has come.
struct TaskStanding {
    double flops = 0;
    double weight = 1;        // how often its kernel runs in what is to become fast
    std::string similarity;   // tasks of the same text are expected to reach the same speed; empty: like no other
    std::vector<double> best; // seconds of its best kernel after each of its rounds; +inf while it has none
    bool open = true;         // it may have another round
    /// Of time, that each of the rounds of this search took; empty: not known. Rounds of a log that is continued are
    /// not among them.
    std::vector<double> spent = {};
    double floor = 0; // seconds below which no kernel can come (rooflines); 0: not known
    /// Seconds that its best must fall before anything gains by it: another form of the same node is so much faster
    /// (choice_group.h).
    double behind = 0;

    [[nodiscard]] size_t rounds() const { return best.size(); }
    [[nodiscard]] double seconds() const; // of its best kernel; +inf while it has none
};

class TaskOrder {
  public:
    virtual ~TaskOrder() = default;
    /// Nothing when no task is open. Depends only on the standings it was given so far.
    virtual std::optional<size_t> next(const std::vector<TaskStanding> &tasks) = 0;
    /// Of the last choice, a sentence about the task without its name ("it has had no round yet").
    [[nodiscard]] virtual std::string why() const { return {}; }
};

/// Each open task in turn.
std::unique_ptr<TaskOrder> makeRoundRobinOrder();

/// Ansor's (OSDI 2020, section 6; defaults of TVM's TaskScheduler).
struct GradientOptions {
    double alpha = 0.2;     // share of what the last rounds gained; the rest is what the next may gain
    double beta = 2;        // a task may come to this share of the best speed among similar ones
    int backwardRounds = 3; // over which the gain is averaged
    uint64_t seed = 0;      // where all promise the same
};
/// One round each, then the task where the weighted sum of times is expected to fall fastest. A task without a valid
/// kernel after its first round comes last; Ansor never returns to it.
std::unique_ptr<TaskOrder> makeGradientOrder(const GradientOptions &options = {});

/// The text by which Ansor calls tasks similar: the scheduler tags of the ops and the magnitude of the FLOPs. Empty
/// when no op has a tag.
std::string taskSimilarity(const ComputeDag &dag);

} // namespace loopscope
