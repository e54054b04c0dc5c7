#pragma once
// Values of small tensors that are known before a network runs, floats as well: sizes and limits of ranges are often
// computed with them.

#include "base/thread_pool.h"
#include "language/tensor/host_tensor.h"
#include "networks/op/operator.h"

#include <optional>
#include <vector>

namespace loopscope {

/// What a node computes of inputs that are small (kMaxKnownElements) and known, as constants or by their elements. One
/// for each output; nothing where an input is unknown, something is large, or the operator refuses (an index outside,
/// which a run will say).
std::optional<std::vector<HostTensor>> smallResults(const Node &node, const Operator &of,
                                                    const std::vector<InputFact> &inputs,
                                                    const std::vector<TensorType> &outputs, ThreadPool &pool);

} // namespace loopscope
