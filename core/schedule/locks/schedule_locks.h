#pragma once
// What of a schedule is to stay as it is while the rest of it is searched. A lock speaks of stages and loops by the
// names that scripts give them, so that it means the same in every schedule; it knows the very line, length or place it
// holds, so that it needs no other schedule beside it. Which words make locks is told in lock_pattern.h.

#include "base/outcome.h"
#include "schedule/locks/lockable_steps.h"
#include "schedule/locks/stage_constraint.h"
#include "schedule/loop_state.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// One thing that stays as it is.
struct ScheduleLock {
    enum class Kind : uint8_t {
        Line,   // a step of the schedule: the very line
        Length, // of one of the loops that a split makes
        Place,  // where a stage is computed, however it came there
        Stage,  // every step of a stage; no other may come
    };
    Kind kind = Kind::Line;
    std::string stage;
    std::string loop;                    // Length: the loop that is split
    int part = 0;                        // Length: which of the loops made of it, the outermost is 0
    int64_t length = 0;                  // Length
    std::vector<std::string> lines = {}; // Line, Place: the one; Stage: all, in order
    /// A pattern that means this lock, whatever schedule it is read beside.
    [[nodiscard]] std::string text() const;
    /// The same in few words, for sentences: a locked stage without its lines.
    [[nodiscard]] std::string name() const;
    bool operator==(const ScheduleLock &) const = default;
};

/// What of a schedule's steps is locked: what a mutation has to leave alone.
struct LockedSteps {
    std::vector<uint64_t> parts; // of each step: bit k, the length of loop k of a split; all bits, the whole step
    std::vector<bool> closed;    // of each stage of the finished schedule: no step on it may come or go
    static constexpr uint64_t kWhole = ~uint64_t{0};
    /// Anything of it.
    [[nodiscard]] bool step(size_t at) const { return parts[at] != 0; }
    [[nodiscard]] bool whole(size_t at) const { return parts[at] == kWhole; }
    /// The length of one loop of a split.
    [[nodiscard]] bool length(size_t at, size_t part) const {
        return whole(at) || (part < 64 && ((parts[at] >> part) & 1U) != 0);
    }
};

class ScheduleLocks {
  public:
    [[nodiscard]] bool empty() const { return m_locks.empty(); }
    [[nodiscard]] const std::vector<ScheduleLock> &all() const { return m_locks; }
    /// One that is there already is not added again.
    void add(ScheduleLock lock);
    void remove(const ScheduleLock &lock);
    [[nodiscard]] bool contains(const ScheduleLock &lock) const;

    /// What is locked of the schedule's steps. A refusal names the first lock it breaks.
    [[nodiscard]] Outcome<LockedSteps> keptBy(const DagPtr &dag, const Steps &steps) const;
    /// Why no schedule made from the sketch can keep them; nothing where one may. What the sketch leaves open
    /// (lengths, annotations, places) may become anything.
    [[nodiscard]] std::optional<Refusal> lostOn(const LoopState &sketch) const;
    /// What they want of a stage; null: nothing.
    [[nodiscard]] const StageConstraint *constraintOf(const std::string &stage) const;

    bool operator==(const ScheduleLocks &other) const { return m_locks == other.m_locks; }

  private:
    std::vector<ScheduleLock> m_locks;
    std::map<std::string, StageConstraint> m_constraints; // by stage
};

} // namespace loopscope
