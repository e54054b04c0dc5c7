#pragma once
// What the operating system says about this machine: usable hardware threads and cache sizes.

#include <cstdint>

namespace loopscope {

struct Machine {
    int threads = 1; // hardware threads this process may run on
    // Bytes; 0 where unknown.
    int64_t l1Bytes = 0;
    int64_t l2Bytes = 0;
    int64_t l3Bytes = 0;
};

/// Looked up once per process.
const Machine &thisMachine();

} // namespace loopscope
