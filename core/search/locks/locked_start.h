#pragma once
// Where a search under locks begins: with the sketches that can keep them, and with schedules that do. A schedule made
// by hand has a structure of its own that no sketch has; then everything is bred from it.

#include "base/outcome.h"
#include "base/random.h"
#include "language/task/task.h"
#include "search/candidate.h"
#include "search/search_options.h"
#include "search/sketch/sketch.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

struct LockedStart {
    std::vector<size_t> sketches;                        // that can keep the locks, as far as a few draws tell
    std::vector<std::pair<size_t, std::string>> leftOut; // the other sketches, and why
    std::vector<Candidate> schedules;                    // that keep the locks; others are drawn around them
};

/// Refused where nothing is left to vary, and where one of `schedules` breaks a lock. Draws as options.seed says.
Outcome<LockedStart> lockedStart(const Task &task, const std::vector<Sketch> &sketches, const SearchOptions &options,
                                 const std::vector<Steps> &schedules, Scratch &scratch,
                                 const std::atomic<bool> *stopped = nullptr);
/// The same before a search: derives the sketches. Nothing where there is something to search.
std::optional<Refusal> whatLocksLeave(const Task &task, const SearchOptions &options,
                                      const std::vector<Steps> &schedules);

/// A schedule within the locks: of one of the sketches, or around one of the schedules. False, with the reason, where
/// it is not legal.
bool drawWithin(const LockedStart &start, const Task &task, const std::vector<Sketch> &sketches,
                const SearchOptions &options, Random &random, Scratch &scratch, Candidate &drawn, std::string &reason);

} // namespace loopscope
