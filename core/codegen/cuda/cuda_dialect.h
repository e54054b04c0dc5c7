#pragma once
// Expressions as device code of CUDA C++, without any header: NVRTC has none of C's, and those of float16 come with a
// toolkit only. Indices are 32 bits wide where they fit, since a GPU computes addresses with those.

#include "codegen/c/c_dialect.h"

namespace loopscope {

const CDialect &cudaDialect();

} // namespace loopscope
