#pragma once
// Whether a tensor that was computed is the one that was expected, and where it is not.

#include "language/tensor/host_tensor.h"
#include "language/tensor/wide_tensor.h"

#include <cstdint>
#include <string>

namespace loopscope {

struct TensorVerdict {
    bool ok = false;
    double largestDifference = 0; // max |computed - expected| over the places where both are finite
    double largestExpected = 0;   // max |expected|, finite ones
    double relative = 0;          // the one divided by the other; 0/0 is 0, and infinite when only 0 was expected
    int64_t worst = -1;           // element with the largest difference, or the first whose NaN or infinity is wrong
    bool specialsAgree = true;    // NaN and infinities (by sign) stand at the same places
    std::string sentence;         // why it is not ok; empty when it is
};

/// Ok when types and dims agree, NaN and infinities stand where they are expected, and `relative` is at most the
/// tolerance. Integers and booleans have to be equal, whatever the tolerance. What the expected number becomes when it
/// is rounded to the type decides whether it is infinite.
TensorVerdict compareTensors(const HostTensor &computed, const WideTensor &expected, double tolerance);

/// "[0, 3, 7]" of an element in row-major order.
std::string elementText(int64_t element, const std::vector<int64_t> &dims);

} // namespace loopscope
