#pragma once
// What every form of Winograd convolution 3x3, stride 1, has in common: its checks, its extents, and its padded input.

#include "language/te/operators/operator_library.h"

#include <cstdint>

namespace loopscope {

struct WinogradParts {
    static constexpr int64_t r = 3; // the kernel's side
    int64_t m = 0;                  // outputs of a tile, each way
    int64_t batch = 0;
    int64_t ci = 0;
    int64_t co = 0;
    int64_t out[2] = {0, 0};                                  // rows and columns
    int64_t tiles[2] = {0, 0};                                // likewise
    const Tensor *padded = nullptr;                           // as far as the last tiles reach
    [[nodiscard]] int64_t alpha() const { return m + r - 1; } // inputs of a tile, each way
    [[nodiscard]] int64_t tileCount() const { return batch * tiles[0] * tiles[1]; }
};

/// Of a call with data, weight, pad and tile; refuses what does not fit together. `transformed`: the weight is [alpha,
/// alpha, ...].
WinogradParts winogradParts(OperatorCall &call, bool channelsLast, bool transformed);

} // namespace loopscope
