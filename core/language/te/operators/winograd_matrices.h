#pragma once
// Transform matrices of Winograd convolution F(m x m, r x r), by the Cook-Toom construction (Lavin and Gray,
// arXiv:1509.09308) over the interpolation points of Barabasz et al. (arXiv:1803.10986), which TVM uses too.

#include <cstdint>
#include <vector>

namespace loopscope {

using Matrix = std::vector<std::vector<double>>;

struct WinogradMatrices {
    Matrix inverse; // A: alpha x m, with alpha = m + r - 1
    Matrix data;    // B: alpha x alpha
    Matrix kernel;  // G: alpha x r
};

/// m in 2..8, r = 3.
WinogradMatrices winogradMatrices(int64_t m, int64_t r);

} // namespace loopscope
