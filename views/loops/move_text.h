#pragma once
// What can be done to a loop or a stage in few words: which of the offered moves are about it, what each is called in a
// menu beside its loop, and what it is worth.

#include "schedule/loop_state.h"

#include <QString>

#include <optional>
#include <vector>

namespace loopscope {

/// A loop, or a stage where `loop` is none.
struct MoveTarget {
    StageId stage;
    IterId loop;
    bool operator==(const MoveTarget &) const = default;
    [[nodiscard]] bool isLoop() const { return loop.value >= 0; }
};

/// The headings moves stand under, in this order.
enum class MoveGroup : uint8_t {
    Split,
    FollowSplit,
    Fuse,
    Reorder,
    Annotate, // parallel, vectorize, unroll
    Bind,
    UnrollUpTo,
    Place, // inline, root
    ComputeAt,
    CacheRead,
    CacheWrite,
    Rfactor,
    StorageAlign,
    Other,
};
MoveGroup groupOf(const Step &step);
/// A script does not know how long a loop is inside the stage it is computed at; the state does, and so do the moves it
/// is offered.
Step withKnownExtent(const LoopState &state, Step step);
QString groupText(MoveGroup group); // "Split into"

/// The loop a reorder moves, and how many loops stand outside it afterwards; nothing when it moves several. `about`: of
/// two neighbours that change places either was moved.
struct MovedLoop {
    IterId loop;
    int to = 0;
};
std::optional<MovedLoop> movedLoop(const std::vector<IterId> &order, IterId about);

/// It is about the loop itself, or, where `target` is a stage, about that as a whole.
bool concerns(const Step &step, const MoveTarget &target);
/// Beside its heading, for one who looks at the loop: "8, 64 outside" of a split of 512.
QString moveText(const LoopState &state, const Step &step, const MoveTarget &target);
/// "loop i.0 of C", "stage C".
QString targetText(const LoopState &state, const MoveTarget &target);

/// Time after over time before, less one, as people read it: "−18 %", "×12" for what takes twelve times as long.
QString changeText(double change);

} // namespace loopscope
