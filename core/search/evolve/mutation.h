#pragma once
// Mutations: a changed step list that is replayed from the naive state (Ansor, OSDI 2020, section 5.1), and crossover,
// which Ansor lacks. Each returns nothing when it does not apply to this candidate.

#include "random.h"
#include "search/candidate.h"
#include "search/search_options.h"
#include "target/target.h"

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

/// One of the mutations of that kind of target (target_rules.h), by weight.
const Mutation &drawMutation(TargetKind kind, Random &random);

/// Split lengths of each loop from one or the other parent, all else from the first. Nothing when the parents do not
/// come from the same sketch (different splits) or are equal.
std::optional<Steps> crossover(const Steps &first, const Steps &second, Random &random);

} // namespace loopscope
