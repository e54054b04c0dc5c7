#pragma once
// Targets for tests: nothing of the machine the tests run on.

#include "language/target/target.h"

namespace loopscope {

inline Target processorTarget(int cores = 2) {
    Target target;
    target.hardware.numCores = cores;
    return target;
}

/// Sixteen registers of 32 bytes; every loop that is to run on threads does, however short.
inline Target vectorTarget() {
    Target target;
    target.vectorBytes = 32;
    target.vectorRegisters = 16;
    target.minParallelStores = 0;
    return target;
}

inline Target gpuTarget(int warp = 32) {
    Target target;
    target.kind = TargetKind::Cuda;
    target.keys = "cuda,gpu";
    target.hardware = {-1, 16, 64, 49152, 2147483647, 1024, 8, warp};
    return target;
}

} // namespace loopscope
