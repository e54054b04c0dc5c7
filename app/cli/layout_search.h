#pragma once
// `tune --layouts try`: the workload as it is and rewritten for other layouts of its tensors are alternatives of one
// search. Each is a task with a key of its own; they share the trials, and the best of all is what the search finds.

#include "codegen/layout/alternatives.h"
#include "measure/measurer.h"
#include "search/search_control.h"
#include "tune_command.h"
#include "tune_report.h"

#include <memory>
#include <string>
#include <vector>

namespace loopscope {

/// A workload of the search that is not the one given.
struct TriedLayout {
    LayoutAlternative alternative;
    std::string loops; // it was chosen for: "the naive schedule"
    std::string file;  // its text; empty: there is no log to be written beside
};

struct LayoutSearch {
    std::vector<TriedLayout> tried; // of the tasks but the first, in order
    std::vector<std::string> notes; // what is to be said before it begins
};

/// Throws UsageError for options that do not go together with it.
void checkLayoutOptions(const TuneOptions &options);

/// Adds the alternatives to the one task there is. Throws Error where layouts cannot be priced.
LayoutSearch addLayoutTasks(const TuneOptions &options, std::vector<TunedTask> &tasks);

/// LOG.B_j_k.te beside LOG.json, and LOG.B_prepack_... of what packs constants. Throws Error when a file is there that
/// says something else, before any is written.
void writeLaidOut(const TuneOptions &options, LayoutSearch &layouts);

/// Rounds so short that every alternative has one, and as many trials are left for the best of them.
SearchOptions alternativeOptions(const SearchOptions &options, size_t alternatives);

/// The best of each once more, in turn, since none of their times were: by task; unknown where there is none.
std::vector<TimeInterval> compareAlternatives(const std::vector<TunedTask> &tasks,
                                              const std::vector<std::unique_ptr<Measurer>> &measurers,
                                              const SearchControl &control);

/// Of all together; says at its end which is best.
TuneReport describeAlternatives(const std::vector<TunedTask> &tasks, const LayoutSearch &layouts,
                                const std::vector<TimeInterval> &inTurn, const std::string &log);

} // namespace loopscope
