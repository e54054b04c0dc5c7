#pragma once
// How many operations of each class one evaluation of an expression performs, index arithmetic of its loads included.

#include "language/expr/expr.h"

#include <array>

namespace loopscope {

/// The sixteen counters in the order of the feature vector (feature_table.cpp).
struct OpCounts {
    std::array<double, 16> count{};
    /// Float operations of any class; a multiply-add is two.
    [[nodiscard]] double floatOps() const;
};

/// With `fuse`, a product that feeds a sum counts as one multiply-add (Ansor never detects these).
OpCounts countOps(Expr e, bool fuse);

} // namespace loopscope
