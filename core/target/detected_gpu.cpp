#include "target/detected_gpu.h"

#include <atomic>

namespace loopscope {

namespace {
std::atomic<GpuDetector> theDetector = nullptr;
}

void setGpuDetector(GpuDetector detector) { theDetector = detector; }

Outcome<DetectedGpu> detectGpu() {
    const GpuDetector detector = theDetector;
    if (detector == nullptr)
        return Refusal{"this program does not ask the CUDA driver which GPU the machine has; name it, as in cuda "
                       "-model=a100"};
    return detector();
}

} // namespace loopscope
