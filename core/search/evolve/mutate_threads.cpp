// Gives a block of an untiled nest, or of a reduction across threads, another number of threads, lets threads fetch
// more or fewer elements at once, or sets the rows of what they fetch apart in shared memory. Ansor leaves both to the
// tile sizes, whose factors know neither warps nor the widest load.

#include "search/annotate/gpu_lengths.h"
#include "search/evolve/mutation.h"

#include <algorithm>

namespace loopscope {

namespace {

std::vector<int64_t> choices(const MutationContext &context, const Steps &steps, size_t at) {
    const auto &split = std::get<SplitStep>(steps[at]);
    std::vector<int64_t> lengths;
    if (splitsThreads(steps, at)) lengths = threadCounts(split.extent, context.target);
    if (splitsFetch(steps, at))
        lengths = fetchVectors(split.extent, context.dag->ops().front()->output().dtype, context.target);
    std::erase(lengths, split.lengths.front());
    return lengths;
}

/// No step refers to a split at or behind `at` by its number.
bool mayShift(const Steps &steps, size_t at) {
    const auto before = [&](StepId source) { return source.index() < at; };
    return std::all_of(steps.begin() + static_cast<ptrdiff_t>(at), steps.end(), [&](const Step &step) {
        if (const auto *follow = std::get_if<FollowSplitStep>(&step)) return before(follow->source);
        if (const auto *follow = std::get_if<FollowFusedSplitStep>(&step))
            return std::all_of(follow->sources.begin(), follow->sources.end(), before);
        return true;
    });
}

/// Sets the rows of the tile fetched at `split` apart, or takes that away.
std::optional<Steps> alignOrNot(const MutationContext &context, const Steps &steps, size_t split) {
    const size_t fuse = split - 1; // what splitsFetch looked at
    const StageId stage = stageOf(steps[split]);
    const size_t rank = std::get<FuseStep>(steps[fuse]).iters.size();
    const bool aligned =
        fuse > 0 && std::holds_alternative<StorageAlignStep>(steps[fuse - 1]) && stageOf(steps[fuse - 1]) == stage;
    const size_t at = aligned ? fuse - 1 : fuse;
    if (rank < 2 || !mayShift(steps, at) || !context.mayAdd(stage) || (aligned && !context.mayChange(at)))
        return std::nullopt;
    Steps child = steps;
    const auto place = child.begin() + static_cast<ptrdiff_t>(at);
    if (aligned)
        child.erase(place);
    else
        child.insert(place, alignedRows(stage, rank, context.dag->ops().front()->output().dtype));
    return child;
}

std::optional<Steps> mutateThreads(const MutationContext &context, const Steps &steps) {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < steps.size(); ++i)
        if (context.mayChange(i) && (splitsThreads(steps, i) || splitsFetch(steps, i)) &&
            !choices(context, steps, i).empty())
            candidates.push_back(i);
    if (candidates.empty()) return std::nullopt;
    const size_t at = candidates[context.random.index(candidates.size())];
    if (splitsFetch(steps, at) && context.random.below(3) == 0) return alignOrNot(context, steps, at);
    const std::vector<int64_t> lengths = choices(context, steps, at);
    Steps child = steps;
    std::get<SplitStep>(child[at]).lengths = {lengths[context.random.index(lengths.size())]};
    return child;
}

} // namespace

const Mutation kMutateThreads = {"threads", 0.05, mutateThreads};

} // namespace loopscope
