#pragma once
// What a network computes, by each of the ways there are: the reference in double precision, and compiled kernels.

#include "base/outcome.h"
#include "language/tensor/host_tensor.h"
#include "networks/graph/module.h"
#include "networks/partition/partition.h"

#include <functional>
#include <span>
#include <vector>

namespace loopscope {

/// Results of `main`, rounded to their types; inputs are one for each parameter.
using Compute = std::function<Outcome<std::vector<HostTensor>>(const Module &module, std::span<const HostTensor>)>;

Outcome<std::vector<HostTensor>> byReference(const Module &module, std::span<const HostTensor> inputs);
/// By the virtual machine, with compiled kernels.
Outcome<std::vector<HostTensor>> byMachine(const Module &module, std::span<const HostTensor> inputs);
/// As `net run` does: with a plan, or by the virtual machine where a size is only known then. Refuses instead of
/// leaving anything but what the host computes anyway, and tensors without elements, to the reference.
Outcome<std::vector<HostTensor>> byKernels(const Module &module, std::span<const HostTensor> inputs, FusionMode fusion);

} // namespace loopscope
