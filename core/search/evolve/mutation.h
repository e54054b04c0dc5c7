#pragma once
// Mutations: a changed step list that is replayed from the naive state (Ansor, OSDI 2020, section 5.1), and crossover,
// which Ansor lacks. Each returns nothing when it does not apply to this candidate.

#include "base/random.h"
#include "language/target/target.h"
#include "search/candidate.h"
#include "search/search_options.h"

#include <optional>
#include <string_view>
#include <vector>

namespace loopscope {

struct MutationContext {
    const DagPtr &dag;
    const Target &target;
    const SearchOptions &options;
    Random &random;
    Scratch &scratch;
    const LockedSteps *locked = nullptr; // of the steps to change; null: nothing

    /// Nothing of that step is locked.
    [[nodiscard]] bool mayChange(size_t step) const { return locked == nullptr || !locked->step(step); }
    /// The stage, by its number in the finished schedule, may get steps.
    [[nodiscard]] bool mayAdd(StageId stage) const { return locked == nullptr || !locked->closed[stage.index()]; }
};

struct Mutation {
    std::string_view name;
    double weight; // chosen with this share
    std::optional<Steps> (*apply)(const MutationContext &context, const Steps &steps);
};

extern const Mutation kMutateTileSize;
extern const Mutation kMutateUnroll;
extern const Mutation kMutateComputeLocation;
extern const Mutation kMutateParallel;
extern const Mutation kMutateVectorize;
extern const Mutation kMutateThreads;

/// One of the mutations of that kind of target (target_rules.h), by weight.
const Mutation &drawMutation(TargetKind kind, Random &random);

/// What one of the mutations, drawn by weight, makes of the steps, and its name. Where something is locked, those that
/// find nothing to change leave their turn to the others: locks take away most of what the likeliest could do.
struct MutatedSteps {
    std::string_view mutation;
    std::optional<Steps> steps;
};
MutatedSteps mutate(const MutationContext &context, const Steps &steps);

/// The steps with the extents of split loops as they are now: a change in front may have made them longer or shorter.
/// Schedules of sketches split no loop twice and need it not.
Steps withKnownExtents(const DagPtr &dag, Steps steps);

/// Of each step: it splits a loop of whose parts a later step splits the innermost. Tiles of grouped schedules do,
/// whose lanes are cut out of them: such a length is no length of a vector, and has no limit of one. Empty where there
/// is none, as in schedules of sketches.
std::vector<bool> splitAgain(const DagPtr &dag, const Steps &steps);
/// After lengths were changed in a schedule that splits loops twice: extents as they are now, and no length beyond
/// them.
Steps withFittingLengths(const DagPtr &dag, Steps steps);

/// Split lengths of each loop from one or the other parent, all else from the first; where loops are split twice, their
/// extents are to be known again (withFittingLengths). Nothing when the parents do not come from the same sketch
/// (different splits) or are equal.
std::optional<Steps> crossover(const Steps &first, const Steps &second, Random &random);

} // namespace loopscope
