#pragma once
// Measurements that take a moment: samples are short, and nobody minds when they disagree.

#include "language/target/target.h"
#include "language/task/task.h"
#include "measure/measurer.h"

#include <utility>

namespace loopscope {

inline MeasureOptions quickMeasuring() {
    MeasureOptions options;
    options.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker";
    options.buildWorkers = 2;
    options.sampling.minRepeatSeconds = 0.002;
    options.sampling.maxTimingSeconds = 0.02;
    return options;
}

/// For two cores of this machine.
inline Task taskOf(DagPtr dag) {
    Task task = makeTask(std::move(dag), parseTarget("llvm"));
    task.target.hardware.numCores = 2;
    return task;
}

} // namespace loopscope
