#pragma once
// Kernels of NVIDIA GPUs: PTX that the driver compiles for the first GPU it shows, launched one after the other and
// timed by events of the device. Before each timed call the L2 cache is overwritten, so that no call finds there what
// the one before it read.
//
// Memory of a device has no guard pages. Arguments and intermediates of a guarded call lie between bytes of a pattern
// instead, another one for each side that is asked for: what is written there is noticed, what is only read is not,
// unless it makes the answer wrong. After a fault of a kernel the driver refuses everything else in its process; so
// whoever runs candidates gives each a process of its own.

#include "codegen/runtime/runner.h"

namespace loopscope {

/// Refused without a driver or a GPU. Throws Error when the driver does not take the code, with what its compiler says.
Outcome<std::unique_ptr<Runner>> makeCudaRunner(const BuiltKernel &kernel);

} // namespace loopscope
