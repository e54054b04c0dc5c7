#pragma once
// How people say what is to be locked: in the words of scripts, with `*` for any characters of a word.
//
//     split C i                 this split with all its lengths; words that are left out may be anything
//     split C i[0]              the length of the outermost of the loops it makes, as the schedule has it
//     split C *[0]              the same of every loop of C that is split: the outer tiling
//     split C i[0]=4            that it is 4
//     parallel *                every loop that runs on several threads
//     compute_at D              the step that computes D inside another stage
//     pragma C                  how far C is unrolled
//     place:D                   where D is computed, also where no step says so
//     stage:C                   every step of C, and that there is no other
//
// A pattern is read beside a schedule and locks what that schedule has there. Without one, only patterns that say all
// of it can be read: a whole line, `split C i[0]=4`, `place:D=compute_at D C j.0`, `stage:C=LINE; LINE`. Those are what
// ScheduleLock::text() writes.

#include "schedule/locks/schedule_locks.h"
#include "schedule/loop_state.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct LockProblem {
    int column = 0;                 // of the pattern, from 1, in bytes
    std::string reason;             // a sentence
    std::vector<std::string> legal; // what could stand there instead; may be empty
    /// "--lock 'split C q': column 9: reason".
    [[nodiscard]] std::string text(std::string_view pattern) const;
};

struct ReadLocks {
    std::vector<ScheduleLock> locks; // at least one when there is no problem
    std::optional<LockProblem> problem;
};

/// What the pattern locks of the schedule.
ReadLocks readLocks(std::string_view pattern, const DagPtr &dag, const Steps &schedule);
/// The same of a pattern that says all of it.
ReadLocks readLocks(std::string_view pattern);

/// Patterns that lock something of the schedule, for who chooses from a list: stages, places, outer tilings, lines,
/// lengths.
std::vector<std::string> lockPatterns(const DagPtr &dag, const Steps &schedule);

} // namespace loopscope
