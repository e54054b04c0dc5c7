#pragma once
// A computation that no operator of a network is, so that only its text tells what logs of it were tuned for.

#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "records/record/record.h"

#include <QByteArray>

#include <string>
#include <vector>

namespace loopscope {

inline const QByteArray &oddityText() {
    static const QByteArray text = "workload oddity(N = 92)\n"
                                   "A = placeholder [N, N] float32\n"
                                   "B = placeholder [N, N] float32\n"
                                   "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j] * B[j, k])\n";
    return text;
}

struct OddityTrial {
    int length = 2; // of its split
    double seconds = 1e-3;
};

/// A record each.
inline std::string oddityLog(const std::vector<OddityTrial> &trials,
                             const char *target = "llvm -keys=cpu -num-cores=3") {
    const Task task = makeTask(ComputeDag::fromWorkload(parseWorkload(oddityText().toStdString(), "oddity.te", {})),
                               parseTarget(target));
    std::string text;
    for (const OddityTrial &one : trials) {
        Trial trial;
        trial.steps = {SplitStep{StageId(2), IterId(0), 92, {one.length}, true}};
        trial.seconds = {one.seconds};
        text += recordLine(makeRecord(task, trial)) + "\n";
    }
    return text;
}

} // namespace loopscope
