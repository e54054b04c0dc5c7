#pragma once
// Strides, paddings and dilations that make an input extent into an output extent. A key says extents alone.

#include <cstdint>
#include <vector>

namespace loopscope {

enum class WindowKind : uint8_t {
    Convolution,
    Pooling,    // the kernel is not in the key either
    Winograd,   // kernel 3, stride 1
    Transposed, // stride and padding make it larger
    Neighbours, // as many windows as values; the kernel is not in the key
};

struct WindowChoice {
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t before = 0;
    int64_t after = 0;
    int64_t more = 0; // output padding, of transposed windows
    bool operator==(const WindowChoice &) const = default;
};

/// The likeliest first: small strides and dilations, and paddings that are equal on both sides. `kernel` is not looked
/// at where the key does not tell it.
std::vector<WindowChoice> windowChoices(WindowKind kind, int64_t in, int64_t kernel, int64_t out);

} // namespace loopscope
