// CrossThreadReduction (GPU): a long reduction with few results is shared by the threads of a warp, fused into its
// consumer where that has the outer loops for it.

#include "language/dag/access.h"
#include "language/te/scan.h"
#include "language/te/scatter.h"
#include "search/sketch/fuse_reduction.h"
#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

namespace loopscope {

namespace {

RuleAnswer meetsCrossThreadReduction(const SketchContext &context, const LoopState &state, StageId stage) {
    if (state.stage(stage).op->isPlaceholder()) return {Verdict::Skip, "a placeholder is not computed"};
    if (isScatter(*state.stage(stage).op)) return {Verdict::Skip, "the places of its terms are computed"};
    if (hasCacheWrite(state, stage)) return {Verdict::Skip, "it writes through a cache"};
    const auto space = spaceSize(*state.stage(stage).op);
    const auto &hardware = context.target.hardware;
    if (needsTiling(state, stage)) {
        if (space.spatial > hardware.maxThreadsPerBlock) return {Verdict::Skip, "its spatial loops fill a block"};
        if (space.spatial >= space.reduce) return {Verdict::Skip, "the reduction is no longer than the results"};
        return {Verdict::Apply, "few results from a long reduction"};
    }
    if (space.reduce <= 1) return {Verdict::Skip, "it does not reduce"};
    if (space.reduce <= hardware.warpSize) return {Verdict::Skip, "the reduction is shorter than a warp"};
    return {Verdict::Apply, "the reduction can be shared by a warp"};
}

/// The consumer's threads run along its last loop: that of a scan may go in order, and the terms of a scatter meet.
bool sharesLoops(const LoopState &state, StageId consumer) {
    const Op &op = *state.stage(consumer).op;
    return !scanOf(op) && !isScatter(op);
}

SketchResults crossThreadReduction(const SketchContext &context, const LoopState &state, StageId stage) {
    const int64_t warp = context.target.hardware.warpSize;
    const FusedReduction fused = fuseReduction(state, stage);
    LoopState result = fused.state;
    const StageId target = singleConsumerRoot(result, stage);
    const int common = target.value >= 0 && sharesLoops(result, target)
                           ? commonOuterIters(*result.dag(), stage.value, target.value)
                           : 0;
    // The threads of the consumer come from its one split; one with several has loops of another make (unrolled indices
    // of constant tensors), which the reduction cannot follow.
    auto splits = common > 0 ? splitStepsOf(result, target) : std::vector<StepId>{};
    if (common <= 0 || needsTiling(state, target) || splits.size() > 1) {
        const int64_t extent = result.stage(stage).iters[fused.iter.index()].extent;
        result = applied(result, SplitStep{stage, fused.iter, extent, {warp}, true});
        result = applied(result, AnnotateStep{stage, IterId(fused.iter.value + 1), Annotation::ThreadX});
        return {{std::move(result), before(stage)}};
    }
    if (splits.empty()) {
        const auto last = static_cast<int>(result.stage(target).iters.size()) - 1;
        const int64_t extent = result.stage(target).iters.back().extent;
        splits.emplace_back(result.steps().size());
        result = applied(result, SplitStep{target, IterId(last), extent, {warp}, true});
        result = applied(result, AnnotateStep{target, IterId(last + 1), Annotation::ThreadX});
    }
    result = applied(result, FollowSplitStep{stage, fused.iter, splits.front(), 1});
    result = applied(result, AnnotateStep{stage, IterId(fused.iter.value + 1), Annotation::ThreadX});
    result = applied(result, ComputeAtStep{stage, target, IterId(common - 1)});
    return {{std::move(result), before(stage)}};
}

} // namespace

const SketchRule kCrossThreadReduction = {"CrossThreadReduction", meetsCrossThreadReduction, crossThreadReduction};

} // namespace loopscope
