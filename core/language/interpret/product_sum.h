#pragma once
// The interpreter's one shortcut: a sum of products of two affine loads that move along different axes (matmul,
// convolution), which is where nearly all time of a reference goes. Both factors are copied into small panels, which
// makes it a plain matrix product whatever the strides are. Floats are added in the order of the reduction, as the
// general way does; integers only where a double holds every sum exactly.

#include "base/thread_pool.h"
#include "language/interpret/lane_program.h"
#include "language/interpret/term_signs.h"

namespace loopscope {

/// Computes the op into `result` and returns true, or returns false when the op is not of that form. `signs` of the
/// products.
bool sumOfProducts(const Op &op, const LaneProgram::TensorValues &values, TermSigns signs, TensorValue &result,
                   ThreadPool &pool);

} // namespace loopscope
