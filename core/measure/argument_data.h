#pragma once
// The inputs of a task as a runner takes them.

#include "codegen/runtime/runner.h"
#include "measure/answer/reference_data.h"

namespace loopscope {

/// Of a kernel of the reference's task. The reference must outlive it.
ArgumentData argumentData(const std::vector<KernelArg> &args, const ReferenceView &reference,
                          InputSet set = InputSet::Random);

} // namespace loopscope
