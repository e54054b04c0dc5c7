#pragma once
// A complete schedule on its way through a generation: its steps, its identity, what the model sees of it.

#include "language/target/target.h"
#include "schedule/locks/schedule_locks.h"
#include "schedule/loop_state.h"
#include "schedule/state_key.h"
#include "search/ancestor.h"
#include "search/features/features.h"
#include "search/search_observer.h"
#include "search/search_options.h"

#include <memory>
#include <string>
#include <vector>

namespace loopscope {

using FeatureRows = std::vector<FeatureRow>;

struct Candidate {
    Steps steps;
    StateKey key;
    int sketch = -1; // it was drawn from; -1 = from a log
    std::shared_ptr<const FeatureRows> rows;
    double draft = 0; // the analytic estimate (search/cost/draft_estimate.h); 0 where the kind of target has none
    float score = 0;
    Lineage lineage;
    std::shared_ptr<Ancestor> ancestry;                  // its own link of the chain; a copy shares the original's
    std::shared_ptr<const LockedSteps> locked = nullptr; // what its changes leave alone; null: nothing
};

/// Per thread: memory reused candidate after candidate.
struct Scratch {
    ExprArena arena;
    std::vector<StageFeatures> rows;
};

/// Replays, bounds and lowers the candidate's steps, and fills in key and rows; for GPUs also the extents of late
/// splits (gpu_candidate.h). False, with the reason, when the schedule is illegal or nests one parallel loop in
/// another. Hot path: no code is generated.
bool evaluate(const DagPtr &dag, const Target &target, Candidate &candidate, Scratch &scratch, std::string &reason);

/// Fills in what of the candidate is locked. False, with the reason, where it breaks a lock.
bool keepsLocks(const SearchOptions &options, const DagPtr &dag, Candidate &candidate, std::string &reason);

/// Both: the locks first, since that is quick, and for GPUs once more, since they may be on extents learnt since.
bool evaluateLocked(const SearchOptions &options, const DagPtr &dag, const Target &target, Candidate &candidate,
                    Scratch &scratch, std::string &reason);

/// The state with all ranges known; a refusal where bounds do not exist.
Outcome<LoopState> boundedState(const LoopState &state, Scratch &scratch);

/// A parallel loop inside another one: the inner one would run serially at best.
bool nestsParallelLoops(const LoopState &state);

} // namespace loopscope
