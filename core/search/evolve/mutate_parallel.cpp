// Fuses more or fewer of the outermost loops into the parallel one.

#include "search/evolve/mutation.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

/// Leading loops of the stage that could be fused for parallelism.
int fusable(const LoopState &state, StageId id) {
    const auto &iters = state.stage(id).iters;
    int count = 0;
    for (size_t i = 0; i < iters.size(); ++i) {
        if (iters[i].kind == IterKind::Reduction || iters[i].annotation != Annotation::None) break;
        ++count;
        if (state.hasAttachedAt(id, IterId(i))) break;
    }
    return count;
}

/// Moves the iterator numbers of later steps on the stage by `shift`; false when one of them is not a plain annotation.
bool shiftLater(Steps &steps, size_t from, StageId id, int shift) {
    const auto move = [&](IterId &iter) {
        if (iter.value != 0) iter = IterId(iter.value + shift);
    };
    for (size_t i = from; i < steps.size(); ++i) {
        if (std::holds_alternative<CacheReadStep>(steps[i]) || std::holds_alternative<CacheWriteStep>(steps[i]) ||
            std::holds_alternative<RfactorStep>(steps[i]))
            return false;
        if (auto *at = std::get_if<ComputeAtStep>(&steps[i]); at && at->target == id && at->targetIter.value != 0)
            at->targetIter =
                IterId(std::max(0, at->targetIter.value + shift)); // a loop that was fused is the first now
        if (stageOf(steps[i]) != id) continue;
        if (auto *annotate = std::get_if<AnnotateStep>(&steps[i])) {
            move(annotate->iter);
        } else if (auto *pragma = std::get_if<PragmaStep>(&steps[i])) {
            move(pragma->iter);
        } else if (auto *fuse = std::get_if<FuseStep>(&steps[i])) {
            for (auto &iter : fuse->iters) iter = IterId(iter.value + shift);
        } else {
            return false;
        }
    }
    return true;
}

/// A single parallel loop takes in loops below it.
std::optional<Steps> fuseBelow(const MutationContext &context, const Steps &steps) {
    std::vector<size_t> alone;
    for (size_t i = 0; i < steps.size(); ++i) {
        const auto *annotate = std::get_if<AnnotateStep>(&steps[i]);
        if (annotate && annotate->annotation == Annotation::Parallel && annotate->iter.value == 0 &&
            context.mayChange(i) && context.mayAdd(annotate->stage))
            alone.push_back(i);
    }
    if (alone.empty()) return std::nullopt;
    const size_t at = alone[context.random.index(alone.size())];
    const StageId stage = std::get<AnnotateStep>(steps[at]).stage;
    const auto replayed = replay(context.dag, Steps(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(at)));
    if (!replayed) return std::nullopt;
    int most = fusable(*replayed, stage);
    for (size_t i = at + 1; i < steps.size(); ++i) // a vector stays one
        if (const auto *later = std::get_if<AnnotateStep>(&steps[i]); later && later->stage == stage)
            most = std::min(most, later->iter.value);
    if (most < 2) return std::nullopt;
    const int count = 2 + static_cast<int>(context.random.index(static_cast<size_t>(most - 1)));
    Steps child = steps;
    FuseStep fuse{stage, {}};
    for (int i = 0; i < count; ++i) fuse.iters.emplace_back(i);
    // Steps behind it count the loops that are left.
    if (!shiftLater(child, at + 1, stage, 1 - count)) return std::nullopt;
    child.insert(child.begin() + static_cast<ptrdiff_t>(at), std::move(fuse));
    return child;
}

std::optional<Steps> mutateParallel(const MutationContext &context, const Steps &steps) {
    std::vector<size_t> fuses;
    for (size_t i = 1; i < steps.size(); ++i) {
        const auto *annotate = std::get_if<AnnotateStep>(&steps[i]);
        const auto *fuse = std::get_if<FuseStep>(&steps[i - 1]);
        if (!context.mayChange(i - 1) || !context.mayChange(i)) continue; // the loop's name changes
        if (annotate && fuse && annotate->annotation == Annotation::Parallel && annotate->iter.value == 0 &&
            fuse->stage == annotate->stage && !fuse->iters.empty() && fuse->iters.front().value == 0)
            fuses.push_back(i - 1);
    }
    if (fuses.empty()) return fuseBelow(context, steps);
    const size_t at = fuses[context.random.index(fuses.size())];
    const auto &old = std::get<FuseStep>(steps[at]);
    const auto replayed = replay(context.dag, Steps(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(at)));
    if (!replayed) return std::nullopt;
    const int most = fusable(*replayed, old.stage);
    if (most == 0) return std::nullopt;
    const int count = 1 + static_cast<int>(context.random.index(static_cast<size_t>(most)));
    const int before = static_cast<int>(old.iters.size());
    if (count == before) return std::nullopt;
    Steps child = steps;
    auto &fuse = std::get<FuseStep>(child[at]);
    fuse.iters.clear();
    for (int i = 0; i < count; ++i) fuse.iters.emplace_back(i);
    if (!shiftLater(child, at + 2, old.stage, before - count)) return std::nullopt;
    return child;
}

} // namespace

const Mutation kMutateParallel = {"parallel", 0.02, mutateParallel};

} // namespace loopscope
