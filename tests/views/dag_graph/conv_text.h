#pragma once
// A convolution with padding, bias and maximum, as people write it, for what shows its DAG.

#include <string>

namespace loopscope {

inline std::string convText(int outChannels, int inChannels) {
    return "workload conv(N = 1, H = 7, W = 7, CO = " + std::to_string(outChannels) +
           ", CI = " + std::to_string(inChannels) + R"(, K = 3)
data   = placeholder [N, CI, H, W] float32
kernel = placeholder [CO, CI, K, K] float32
bias   = placeholder [CO] float32
padded(n < N, c < CI, y < H + 2, x < W + 2) =
    if_then_else(y >= 1 && y < H + 1 && x >= 1 && x < W + 1, data[n, c, y - 1, x - 1], 0)
conv(n < N, f < CO, y < H, x < W) =
    sum(rc < CI, ry < K, rx < K; padded[n, rc, y + ry, x + rx] * kernel[f, rc, ry, rx])
shifted(n < N, f < CO, y < H, x < W) = conv[n, f, y, x] + bias[f]
out(n < N, f < CO, y < H, x < W) = max(shifted[n, f, y, x], 0)
)";
}

} // namespace loopscope
