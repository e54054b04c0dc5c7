#pragma once
// Whether two kernels for one task have the same answer, as far as sums in another order can.

#include "language/tensor/host_tensor.h"

#include <cstddef>
#include <string>
#include <vector>

namespace loopscope {

/// Sums of so many terms in another order differ by so much of the largest number. Empty: they are close; else the
/// first element that is not, as a sentence.
std::string differenceOf(const float *own, const float *other, size_t count, double terms);
/// Of each output; those that are not float32 are the same to the bit.
std::string differenceOf(const std::vector<HostTensor> &own, const std::vector<HostTensor> &other, double terms);

} // namespace loopscope
