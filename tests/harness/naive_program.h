#pragma once
// A loop program straight from a DAG, without schedule or lowering: every op one nest in order, intermediates on the
// heap. For testing code generation by itself.

#include "codegen/loop_ir/program.h"
#include "language/dag/compute_dag.h"

namespace loopscope {

struct NaiveOptions {
    LoopKind innermost = LoopKind::Serial; // of every op's last spatial loop
    LoopKind outermost = LoopKind::Serial; // of every op's first spatial loop (when there are two)
    LoopKind reduction = LoopKind::Serial;
    bool innermostOutside = false; // the reduction runs inside the innermost spatial loop instead of around it
};

/// From 0 by 1.
Stmt loopOver(Expr var, int64_t extent, LoopKind kind, Stmt body);
/// Ops have one output; reductions use a standard combiner.
LoopProgram naiveProgram(const DagPtr &dag, const NaiveOptions &options = {});

} // namespace loopscope
