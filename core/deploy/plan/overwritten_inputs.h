#pragma once
// Which inputs of a kernel its output may take the place of: every element of the input is read only for the element of
// the output at the same index, so that nobody misses it once that is written. A residual that is added to a
// convolution is such an input; the convolution's own is not.

#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <vector>

namespace loopscope {

/// In the order of the kernel's inputs; none when it has several outputs.
std::vector<ValueId> overwritableInputs(const GraphFunction &function, const Kernel &kernel);

} // namespace loopscope
