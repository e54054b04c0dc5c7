#pragma once
// The role `gpu` of loopscope-worker: asks the CUDA driver which GPU the machine has, answers, ends. A process of its
// own, because a driver that was initialised stays in its process with its threads and memory, forks of it are of no
// use, and one that is broken takes its process with it. It is not confined: the first use of a driver after the
// machine was started may have to load modules of the system by a privileged program.

#include "language/target/detected_gpu.h"

namespace loopscope {

/// The worker's side; returns the exit code.
int serveGpuDetection();

/// Asks once, at the first call, for as long as this process lives; whoever calls meanwhile waits. For setGpuDetector.
Outcome<DetectedGpu> gpuOfThisMachine();

} // namespace loopscope
