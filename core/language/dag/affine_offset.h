#pragma once
// Where a load of the interpreter lies inside its tensor when its indices are affine: base + sum of stride x axis, so
// that a loop over an axis only adds.

#include "language/expr/interval.h"

#include <optional>
#include <vector>

namespace loopscope {

/// Element number of a load.
struct AffineOffset {
    int64_t base = 0;
    std::vector<int64_t> strides; // per axis
    Interval range;               // over all values of the axes
    /// No value of the axes leads out of the tensor's memory.
    [[nodiscard]] bool staysInside(int64_t elements) const { return range.min >= 0 && range.max < elements; }
};

/// Nothing when an index is not affine in `axes`.
std::optional<AffineOffset> affineOffset(Expr load, VarRanges axes);

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);

} // namespace loopscope
