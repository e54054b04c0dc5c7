#pragma once
// A tensor value in the widest types there are: what reference evaluation computes with, so that its own roundings do
// not count.

#include "language/tensor/host_tensor.h"

#include <cstdint>
#include <vector>

namespace loopscope {

/// Dense, row-major. The type is the one that the network gives the value; its numbers are not rounded to it.
struct WideTensor {
    DType dtype = DType::Float32;
    std::vector<int64_t> dims;
    std::vector<double> floats;    // when isFloat(dtype)
    std::vector<int64_t> integers; // otherwise

    [[nodiscard]] size_t size() const { return isFloat(dtype) ? floats.size() : integers.size(); }
    /// All zero. Throws Error when there is not so much memory.
    static WideTensor zeros(DType dtype, std::vector<int64_t> dims);
    static WideTensor of(const HostTensor &tensor);
    /// Rounded to the type.
    [[nodiscard]] HostTensor narrow() const;
};

} // namespace loopscope
