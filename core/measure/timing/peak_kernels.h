#pragma once
// The two loops the peaks of a machine are read from: multiply-adds that wait for nothing, and loads that do nothing
// else. Written for the widest registers the target has.

#include <cstddef>
#include <cstdint>

namespace loopscope {

struct PeakKernels {
    /// Returns the floating-point operations done.
    double (*multiplyAdd)(int64_t turns, volatile float *sink);
    /// Reads `floats` floats, a multiple of kPeakBlock.
    void (*read)(const float *from, size_t floats, volatile float *sink);
};

inline constexpr size_t kPeakBlock = 256; // floats

/// Those for registers of at most `vectorBytes` that this CPU has.
PeakKernels peakKernels(int vectorBytes);

} // namespace loopscope
