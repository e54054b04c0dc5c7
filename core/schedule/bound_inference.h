#pragma once
// Bound inference: from a concrete state to the range of every leaf iterator and, for every stage that is attached
// inside another, the region of its axes that must be computed there (compute_at with halos). Follows the interval
// rules of tensor-expression schedules (ansor.md §2.5), so that extents agree with logged states. Hot path: integers
// and flat linear forms, expressions only where an index is not affine.

#include "expr/expr.h"
#include "outcome.h"
#include "schedule/loop_state.h"

#include <cstdint>
#include <vector>

namespace loopscope {

struct AxisRegion {
    /// First element computed at the attach point, over the loop variables of the stages outside it
    /// (BoundedState::vars); null = 0. `extent` elements follow; the last ones may lie outside the axis when a tail is
    /// guarded.
    Expr min;
    int64_t extent = 1;
};

struct StageBounds {
    std::vector<AxisRegion> axes;    // spatial axes of the op, then reduce axes (whole)
    std::vector<int64_t> nodeExtent; // extent of every node of the iteration graph
    std::vector<Expr> vars;          // loop variable of every leaf iterator (leaf order)
};

struct BoundedState {
    LoopState state;                 // ranges of all iterators known
    std::vector<StageBounds> stages; // per stage; empty for placeholders and inlined stages
    ArenaPtr arena;                  // owns the expressions above; null when the caller's arena does
};

/// Expressions are built in `arena` when given (kept by the result) or in the thread's current arena.
/// Refuses states whose bounds do not exist: which stage, attached where, and why.
Outcome<BoundedState> inferBounds(const LoopState &state, ArenaPtr arena = nullptr);

} // namespace loopscope
