#pragma once
// Between which numbers an expression lies, floats among them, as far as its constants tell: what clamps bound, and
// what is made of that. With a little room for roundings.

#include "language/expr/expr.h"

namespace loopscope {

struct RealRange {
    double min = 0;
    double max = 0;
};

RealRange realRange(Expr e);

/// The expression without an outermost clamp that leaves every value as it is, which stands there because a language
/// asks for bounds that can be seen.
Expr withoutIdleClamp(Expr e);

} // namespace loopscope
