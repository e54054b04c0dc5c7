#pragma once
// A finished program without what its passes left behind: each makes new nodes in the same arena, and the last program
// is a small part of them. For whoever keeps a program.

#include "codegen/loop_ir/program.h"

namespace loopscope {

/// The same program, ids included, in an arena of its own. Buffers stay where they are.
LoopProgram compacted(LoopProgram program);

} // namespace loopscope
