#pragma once
// What the mathematical functions are called in C's library, which the C text calls and machine code is linked with.

#include "language/expr/expr.h"

namespace loopscope {

/// Of the function for doubles; that for floats has an f behind it. Null where the library has none of its own.
const char *mathFunctionName(Intrinsic intrinsic);

} // namespace loopscope
