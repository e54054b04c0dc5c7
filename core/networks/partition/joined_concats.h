#pragma once
// Which concats copy nothing in the better mode: where every dim before the axis is 1, their inputs lie one after the
// other in the output, so whoever makes an input can write it there at once. Joins nest: what is joined may itself be a
// part of the next. Here it is decided, and said why not; the memory plan carries it out.

#include "networks/graph/function.h"
#include "networks/partition/partition.h"

namespace loopscope {

/// Parts begin at multiples of this many bytes, as buffers do: kernels load whole vectors.
inline constexpr int64_t kPartAlignment = 64;

/// Sets Kernel::joins or Kernel::whyCopied of every kernel with a concat; what is cut in front of it says so, too.
void joinConcats(const GraphFunction &function, Partition &partition);

} // namespace loopscope
