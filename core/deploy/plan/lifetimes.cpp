#include "deploy/plan/lifetimes.h"

#include <algorithm>

namespace loopscope {

size_t livePeak(std::span<const BufferLifetime> buffers) {
    size_t positions = 0;
    for (const BufferLifetime &buffer : buffers) positions = std::max(positions, buffer.last + 1);
    std::vector<size_t> begins(positions + 1, 0);
    std::vector<size_t> ends(positions + 1, 0);
    for (const BufferLifetime &buffer : buffers) {
        begins[buffer.first] += alignedBytes(buffer.bytes);
        ends[buffer.last + 1] += alignedBytes(buffer.bytes);
    }
    size_t live = 0;
    size_t most = 0;
    for (size_t at = 0; at < positions; ++at) {
        live = live + begins[at] - ends[at];
        most = std::max(most, live);
    }
    return most;
}

size_t bytesWithoutReuse(std::span<const BufferLifetime> buffers) {
    size_t sum = 0;
    for (const BufferLifetime &buffer : buffers) sum += alignedBytes(buffer.bytes);
    return sum;
}

} // namespace loopscope
