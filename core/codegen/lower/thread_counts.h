#pragma once
// How many threads the blocks of a kernel have, axis by axis: as many as the longest loop bound to it asks for, of
// whatever stage. A kernel is a stage at root with what is computed inside it.

#include "codegen/loop_ir/program.h"
#include "schedule/bounds/thread_scope.h"
#include "schedule/loop_state.h"

#include <array>

namespace loopscope {

constexpr bool isThreadAxis(LoopKind kind) { return kind >= LoopKind::ThreadX && kind <= LoopKind::ThreadZ; }
constexpr bool isBlockAxis(LoopKind kind) { return kind >= LoopKind::BlockX && kind <= LoopKind::BlockZ; }

struct ThreadCounts {
    std::array<int64_t, 3> extents = {1, 1, 1}; // x, y, z
    bool severalBlocks = false;

    [[nodiscard]] int64_t of(LoopKind axis) const { return extents.at(indexOf(axis)); }
    /// How far apart, in the order threads of a block are counted, neighbours along the axis are.
    [[nodiscard]] int64_t strideOf(LoopKind axis) const;
    [[nodiscard]] int64_t all() const { return extents[0] * extents[1] * extents[2]; }
    void widen(LoopKind axis, int64_t extent);

    static constexpr size_t indexOf(LoopKind axis) {
        return static_cast<size_t>(axis) - static_cast<size_t>(LoopKind::ThreadX);
    }
};

/// By stage at root: of the kernel that computes it.
std::vector<ThreadCounts> threadCounts(const LoopProgram &program, const LoopState &state);

/// Who is to see what a stage inside the kernel computes. Where no loop around it is bound, and there is one block
/// alone, its threads are all there are: their shared memory does.
ScopeRank kernelScope(const LoopState &state, StageId id, const ThreadCounts &kernel);

} // namespace loopscope
