#pragma once
// Which inputs may be laid out as a kernel likes: weights, which never change.

#include "language/dag/compute_dag.h"

namespace loopscope {

/// Whether an op that reads the placeholder itself names it in its attribute `layout_free_placeholders`; another
/// placeholder may have the same name.
bool isLayoutFree(const ComputeDag &dag, const Tensor *placeholder);

} // namespace loopscope
