#pragma once
// Annotation rules: what turns a sketch into a complete schedule (Ansor, OSDI 2020, section 4.2). Each draws from the
// attempt's own random numbers and applies steps to a state whose ranges are known.

#include "base/outcome.h"
#include "base/random.h"
#include "language/target/target.h"
#include "schedule/locks/stage_constraint.h"
#include "schedule/loop_state.h"
#include "search/candidate.h"
#include "search/search_options.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct AnnotateContext {
    const Target &target;
    const SearchOptions &options;
    Random &random;
    Scratch &scratch;
    bool onlyOpen = false; // leaves alone what steps of the state have decided
};

struct AnnotateRule {
    std::string_view name;
    /// The state annotated, or why this attempt is invalid.
    Outcome<LoopState> (*apply)(const AnnotateContext &context, LoopState state);
};

extern const AnnotateRule kChooseComputeLocation;
extern const AnnotateRule kChooseParallel;
extern const AnnotateRule kChooseThreads;
extern const AnnotateRule kChooseUnroll;
extern const AnnotateRule kChooseVectorize;

/// Fills every open split length of a step list (the first rule: it works on steps, since loop ranges follow from
/// them). `constrained`: of each step, the lengths it is to have, outermost first; 0 where chance decides.
Steps fillTileSizes(const AnnotateContext &context, const Steps &sketch,
                    const std::vector<std::vector<int64_t>> &constrained = {});

/// What locks want of the stage; null: nothing.
const StageConstraint *constraintOf(const AnnotateContext &context, const LoopState &state, StageId stage);

/// Where a stage could be computed inside its consumer: before its reduction, not below another attached stage.
std::vector<AttachPoint> computeLocations(const LoopState &state, StageId stage);

/// A complete schedule drawn from the sketch.
Outcome<LoopState> annotate(const AnnotateContext &context, const LoopState &sketch);
/// The schedule with what it leaves open drawn: lengths, and parallel loops, unrolling and vectors of stages where no
/// step has decided on them. Places stay.
Outcome<LoopState> annotateOpen(AnnotateContext context, const LoopState &schedule);

} // namespace loopscope
