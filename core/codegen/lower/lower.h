#pragma once
// State -> loop program: an ordered list of passes, each observable. `buildLoopNest` alone gives the program that the
// cost model sees (Ansor's lowered form: a reduction as init and update stores, no loops of extent 1, guards as likely
// branches); `lower` goes on to the program that code is made from (tails split from interiors, accumulators in
// registers, storage placed).

#include "base/outcome.h"
#include "codegen/loop_ir/program.h"
#include "language/target/target.h"
#include "schedule/bound_inference.h"

#include <functional>
#include <string_view>

namespace loopscope {

/// Called after each pass with its name and the program it made.
using LowerObserver = std::function<void(std::string_view pass, const LoopProgram &program)>;

struct LowerOptions {
    /// What happens to weights (placeholders that an op attribute layout_free_placeholders names) that one load reads:
    /// 0 nothing; 1 the kernel lays them out in the order the tiled loops read them, first; 2 the caller does, as
    /// ProgramArg::packing says. The numbers are those of Ansor's layout rewrite option.
    int layoutRewrite = 0;
    LowerObserver observer;
};

struct NestOptions {
    /// What Ansor counts: loads of inlined constant matrices (op attribute const_matrix) are 1, and indices are taken
    /// apart by its analyzer's rules, not by ours (Divisions).
    bool forFeatures = false;
};

/// Indices stay absolute and intermediates keep their whole shape (Buffer::regionMin/regionExtent say what is
/// allocated): the features depend on it. `lower` rebases them in a later pass.
/// Hot path: nodes are built in the thread's current arena, nothing else is allocated beyond the program's buffers. The
/// program borrows from that arena, from the bounded state's and from the DAG.
Outcome<LoopProgram> buildLoopNest(const BoundedState &bounded, const NestOptions &options = {});

Outcome<LoopProgram> lower(const LoopState &state, const Target &target, const LowerOptions &options = {});

} // namespace loopscope
