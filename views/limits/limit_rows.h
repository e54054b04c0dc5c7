#pragma once
// What the kernels of a schedule ask for, row by row, beside what the GPU allows and how many blocks each resource has
// room for on a multiprocessor. Plain data, so that it can be tested without a window.

#include "language/target/target.h"
#include "views/session/kernel_facts.h"

#include <QString>

#include <vector>

namespace loopscope {

struct LimitRow {
    QString what;
    QString used;
    QString allowed;
    QString fit;          // blocks this resource has room for
    double share = -1;    // of the bar; < 0: none
    bool refused = false; // more than is allowed
    bool warns = false;
    bool decides = false; // this resource decides how many blocks run
    QString tip;
};

struct KernelRows {
    QString name;
    QString launch;    // "8 × 8 blocks of 16 × 16 threads"
    QString occupancy; // "50 %, limited by shared memory"
    QString advice;    // what would let another block run
    QString refusal;   // the limit that is exceeded, in a sentence; empty: none
    int node = -1;     // of the loop program: the kernel's outermost loop
    bool refused = false;
    std::vector<LimitRow> rows;
};

/// `uncompiled`: what stands where registers and spills will be, or why they are not known.
std::vector<KernelRows> limitRows(const std::vector<KernelFacts> &kernels, const Target &target,
                                  const QString &uncompiled);

/// "NVIDIA A100 (sm_80), 108 multiprocessors, of each: 65536 registers, 164.0 KiB shared memory, 64 warps".
QString machineText(const Target &target);

} // namespace loopscope
