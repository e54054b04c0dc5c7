#pragma once
// What one fusion mode has to run and to move, so that two modes can be compared in numbers.

#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <cstddef>
#include <cstdint>

namespace loopscope {

struct FusionTraffic {
    size_t running = 0;    // kernels that do work
    size_t joined = 0;     // concats that copy nothing
    int64_t joinBytes = 0; // that those would read and write
    int64_t bytes = 0;     // read and written between running kernels, constants apart; what is not a number counts 0
};

FusionTraffic fusionTraffic(const GraphFunction &function, const Partition &partition);

} // namespace loopscope
