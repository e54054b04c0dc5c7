#pragma once
// When the buffers of a program of kernels exist, kernel by kernel: what a memory plan is made of. Knows nothing of
// networks; positions count the kernels in the order in which they run.

#include <cstddef>
#include <span>
#include <vector>

namespace loopscope {

/// Memory that is written at `first` and needed up to `last`, inclusive.
struct BufferLifetime {
    size_t bytes = 0;
    size_t first = 0;
    size_t last = 0;
    [[nodiscard]] bool meets(const BufferLifetime &other) const { return first <= other.last && other.first <= last; }
};

/// Buffers begin at multiples of this many bytes.
inline constexpr size_t kBufferAlignment = 64;
inline constexpr size_t alignedBytes(size_t bytes) {
    return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

/// Bytes that exist at once, at most: no arena can be smaller. Aligned sizes count.
size_t livePeak(std::span<const BufferLifetime> buffers);
/// What the buffers would take side by side.
size_t bytesWithoutReuse(std::span<const BufferLifetime> buffers);

} // namespace loopscope
