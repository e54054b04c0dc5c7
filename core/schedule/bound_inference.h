#pragma once
// Bound inference: from a concrete state to the range of every leaf iterator and, for every stage, the region of its
// axes that must be computed (compute_at with halos; at root only what readers read). Follows the interval rules of
// TVM's tensor expression schedules, so that extents agree with logged states. Hot path: integers and flat
// linear forms (bounds/linear_form.h); expressions are built only for the result.
//
// What a region promises. Axis a of a stage takes the values
//
//     region[a].min + v,   0 <= v < region[a].extent
//
// where v comes up from the leaf variables (each from 0 to its node's extent): a split node is outer*extent(inner) +
// inner, the parts of a fused node are node div extent(inner) and node mod extent(inner). Everything the stage's
// readers read of the tensor at the attach point lies in the region. Three things are left to whoever makes loops of
// it:
//  - where a split does not divide, v as computed from the leaves may reach beyond: guard v(node) < extent(node) for a
//  node
//    whose extent is less than extent(outer)*extent(inner);
//  - min + v may leave [0, size of the axis), before 0 as well as behind the end, when an outer tile is a tail or a
//  reader
//    reads conditionally beyond the tensor: such elements are never needed and must not be computed;
//  - nodes that are thread-bound keep the given split length even where the node above is shorter: same guard.
// Reduce axes are always whole.

#include "base/outcome.h"
#include "language/expr/expr.h"
#include "schedule/loop_state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

struct AxisRegion {
    /// First element computed at the attach point, over the loop variables of the stages outside it
    /// (StageBounds::vars); null = 0.
    Expr min;
    int64_t extent = 1;
};

struct StageBounds {
    std::vector<AxisRegion> axes;    // spatial axes of the op, then reduce axes (whole)
    std::vector<int64_t> nodeExtent; // extent of every node of the iteration graph
    std::vector<Expr> vars;          // loop variable of every leaf iterator (leaf order)
};

struct BoundedState {
    /// Ranges of all iterators known. An iterator that is a whole axis has the region's min when that is constant; a
    /// min that depends on outer loops is in `stages` only.
    LoopState state;
    std::vector<StageBounds> stages; // per stage; empty for placeholders and inlined stages
    ArenaPtr arena;                  // owns the expressions above; null when the caller's arena does
};

/// Expressions are built in `arena` when given (kept by the result) or in the thread's current arena.
/// Refuses states whose bounds do not exist: which stage, attached where, and why. Move the state in where it is not
/// needed any more: its stages are then changed in place.
Outcome<BoundedState> inferBounds(LoopState state, ArenaPtr arena = nullptr);

/// Ansor's text of the state with bounds, first values that depend on outer loops included.
std::string boundedText(const BoundedState &bounded, bool deleteTrivialLoops = true);

} // namespace loopscope
