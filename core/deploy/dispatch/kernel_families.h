#pragma once
// The kernels of a network with one open symbol, each as the family of the static kernels that it becomes with numbers
// for the symbol.

#include "base/outcome.h"
#include "deploy/dispatch/general_kernel.h"
#include "deploy/dispatch/sized_network.h"
#include "language/target/target.h"

#include <cstdint>
#include <vector>

namespace loopscope {

struct NetworkFamily {
    KernelFamily family;
    std::vector<size_t> kernels; // of the partition, that are computed alike
    int weight = 0;              // how many these are
};

/// In the order of their first kernels; those that give other dims to the same elements, do not depend on the
/// symbol, or are left to the host, have none. The network is copied. Refuses kernels that have no tensor expression.
Outcome<std::vector<NetworkFamily>> kernelFamilies(const SizedNetwork &network, int64_t bound, const Target &target);

} // namespace loopscope
