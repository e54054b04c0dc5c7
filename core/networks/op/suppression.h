#pragma once
// Non-maximum suppression, as ONNX has it: of boxes that overlap much those with the highest score, for each batch and
// class by itself. How many there are is known once it has run.

#include "base/outcome.h"
#include "language/tensor/wide_tensor.h"
#include "networks/graph/function.h"

#include <span>
#include <vector>

namespace loopscope {

/// boxes [batches, boxes, 4] by two corners opposite each other, scores [batches, classes, boxes]; where they are not
/// null: how many boxes of a class at most (none without it), how much of their union two boxes may share (0), the
/// score that is not enough. Gives int64[selected, 3]: batch, class, box, in the order in which they are selected; of
/// equal scores the lower box first, without those whose score is no number. Refuses with a sentence that begins with
/// the node.
Outcome<std::vector<WideTensor>> suppressOverlaps(const Node &node, std::span<const WideTensor *const> inputs);

} // namespace loopscope
