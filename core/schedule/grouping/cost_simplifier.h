#pragma once
// An expression as it would be written by somebody who tidies up: constants folded, sums of an index and constants
// joined, lets of next to nothing opened. What a stage costs is counted on this form. Unlike language/expr/simplify.h
// it asks for no ranges and moves nothing else, so that counts agree with those of Halide's scheduler.

#include "language/expr/expr.h"

namespace loopscope {

/// In the current arena; floats are treated as real numbers where constants meet.
Expr simplifiedForCost(Expr e);

} // namespace loopscope
