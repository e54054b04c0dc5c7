#pragma once
// The limits of a clip of integers. Attributes may give them as integers, which are exact where a double would not be.

#include "language/expr/dtype.h"
#include "networks/graph/function.h"

#include <cstdint>

namespace loopscope {

/// Both count.
struct IntegerLimits {
    int64_t least = 0;
    int64_t most = 0;
};

/// `min` and `max` of a node for elements of an integer type, within what the type holds. Limits that are no whole
/// numbers count from the next whole number inside them on.
IntegerLimits integerLimits(const Node &clip, DType type);

} // namespace loopscope
