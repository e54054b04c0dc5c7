#pragma once
// The steps of a schedule in words. A step numbers stages and loops as they are at the moment it is applied, which no
// reader can follow; here each carries the names it had then ("conv2d", "ff"). Runs on any thread.

#include "schedule/loop_state.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace loopscope {

struct NamedStep {
    QString tag;      // "SP"
    QString kind;     // "split"
    QString stage;    // it is applied to; empty when the steps before it do not replay
    QString iterator; // the loop, or the loops joined by ", "; empty for steps of a whole stage
    QString detail;   // what is done: "1 × 8 × 16 × 4", "parallel", "at conv2d.i.1"
    /// "split conv2d.ff into 1 × 8 × 16 × 4"
    QString sentence;
};

struct NamedSteps {
    std::vector<NamedStep> steps; // one for each; those after a refused step carry numbers instead of names
    QString refusal;              // why they do not replay; empty when they do
};

/// Without a dag (the workload is not known) every step carries numbers.
NamedSteps nameSteps(const DagPtr &dag, const Steps &steps);

/// Trip counts of the loops a split makes, outermost first: one more than its lengths. 0 where unknown.
std::vector<int64_t> splitParts(const SplitStep &split);

} // namespace loopscope
