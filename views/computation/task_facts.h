#pragma once
// What there is to know about a computation before any schedule: work, data, and the ratio of the two.

#include "language/task/task.h"

#include <QString>

namespace loopscope {

struct TaskFacts {
    double flops = -1; // -1: cannot be counted
    int64_t inputBytes = 0;
    int64_t outputBytes = 0;
    int stages = 0; // that compute; inputs are not counted
    int inputs = 0;
    QString key;    // whole
    QString target; // whole

    [[nodiscard]] int64_t bytes() const { return inputBytes + outputBytes; }
    /// FLOPs per byte when every input is read once and every output written once; -1 when unknown.
    [[nodiscard]] double intensity() const;
    /// The key's hash alone, shortened: "a1b2c3d4…".
    [[nodiscard]] QString shortKey() const;
};

TaskFacts factsOf(const Task &task);
QString intensityText(double flopsPerByte); // "42.3 FLOP/byte"

} // namespace loopscope
