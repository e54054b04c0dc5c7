#pragma once
// Which threads share which memory (global: all; shared: one block; local: none): decides whether a thread-bound loop
// outside an attach point is covered as a whole by the stage attached there.

#include "schedule/loop_state.h"

namespace loopscope {

/// Ranks as in tensor expression schedules: a smaller rank is seen by more threads.
enum class ScopeRank : int8_t { Global = 0, Shared = 1, Warp = 2, Local = 3 };

/// blockIdx: 0; threadIdx and vthread: 1.
inline int threadRank(Annotation annotation) {
    const bool block =
        annotation == Annotation::BlockX || annotation == Annotation::BlockY || annotation == Annotation::BlockZ;
    return block ? 0 : 1;
}

/// The scope asked for by a cache step, else the one implied by the thread-bound loops around the attach point: none ->
/// global, only blockIdx -> shared, threadIdx or vthread -> local.
ScopeRank scopeRank(const LoopState &state, StageId id);

} // namespace loopscope
