#pragma once
// Transform steps as people name them: what a step is about ("split of conv2d.ff") and what it sets ("[4, 8]"), with
// the loops named by replaying the steps before. Two lists of steps are compared by what they are about, so that a
// mutation reads "split of conv2d.ff: [4, 8] → [8, 4]".

#include "schedule/loop_state.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace loopscope {

struct StepWords {
    QString about; // "split of conv2d.ff"
    QString value; // "[4, 8]"; empty when the kind says all
};
/// One entry a step. Where the list does not replay, the rest is named by numbers.
std::vector<StepWords> stepWords(const DagPtr &dag, const Steps &steps);

/// One line a difference; empty when the lists are the same.
QStringList stepDifferences(const std::vector<StepWords> &before, const std::vector<StepWords> &after);

} // namespace loopscope
