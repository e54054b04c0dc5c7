#pragma once
// What is said of a kernel that keeps more in shared or local memory than there is.

#include "codegen/lower/passes.h"

#include <cstdint>

namespace loopscope {

Refusal memoryRefusal(const PassContext &context, Stmt kernel, MemoryScope scope, int64_t bytes, int most);

} // namespace loopscope
