#pragma once
// What the driver says of the first GPU it shows (CUDA_VISIBLE_DEVICES chooses). Initialises the driver: for a process
// that ends soon, see codegen/nvidia/gpu_worker.h.

#include "language/target/detected_gpu.h"

namespace loopscope {

/// Refused without a driver or a GPU.
Outcome<DetectedGpu> askCudaDriver();

} // namespace loopscope
