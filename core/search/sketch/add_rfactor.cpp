// AddRfactor: a reduction too long for its few results is split so that partial results can be computed in parallel
// (outer part factored out) or in vector lanes (inner part). Two sketches; measuring decides.

#include "base/check.h"
#include "language/te/scatter.h"
#include "search/sketch/fuse_reduction.h"
#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

namespace loopscope {

FusedReduction fuseReduction(const LoopState &state, StageId stage) {
    FuseStep fuse{stage, {}};
    const auto &iters = state.stage(stage).iters;
    int spatial = 0;
    for (size_t i = 0; i < iters.size(); ++i) {
        if (iters[i].kind == IterKind::Reduction) {
            fuse.iters.emplace_back(i);
        } else {
            ++spatial;
        }
    }
    LOOPSCOPE_CHECK(!fuse.iters.empty(), "no reduce iterator in " + state.stage(stage).op->name);
    const IterId first = fuse.iters.front();
    return {fuse.iters.size() > 1 ? applied(state, std::move(fuse)) : state, first, spatial};
}

namespace {

RuleAnswer meetsAddRfactor(const SketchContext &context, const LoopState &state, StageId stage) {
    if (state.stage(stage).op->isPlaceholder()) return {Verdict::Skip, "a placeholder is not computed"};
    if (isScatter(*state.stage(stage).op)) return {Verdict::Skip, "the places of its terms are computed"};
    if (hasCacheWrite(state, stage)) return {Verdict::Skip, "it writes through a cache"};
    const auto space = spaceSize(*state.stage(stage).op);
    const int64_t cores = context.target.hardware.numCores;
    if (needsTiling(state, stage)) {
        if (space.spatial > space.reduce || space.spatial > 16 * cores)
            return {Verdict::Skip, "its spatial loops are parallel enough"};
        return {Verdict::Apply, "few results from a long reduction"};
    }
    if (space.reduce <= 1) return {Verdict::Skip, "it does not reduce"};
    if (space.reduce <= cores) return {Verdict::Skip, "the reduction is shorter than the number of cores"};
    return {Verdict::Apply, "the reduction can be split between cores or vector lanes"};
}

SketchResults addRfactor(const SketchContext &, const LoopState &state, StageId stage) {
    const FusedReduction fused = fuseReduction(state, stage);
    const int64_t extent = fused.state.stage(stage).iters[fused.iter.index()].extent;
    // Length 1 for now: generateSketches reopens it, since rfactor needs some length to make its stage.
    const LoopState split = applied(fused.state, SplitStep{stage, fused.iter, extent, {1}, true});
    SketchResults results;
    for (int part = 0; part < 2; ++part) {
        LoopState result = applied(split, RfactorStep{stage, IterId(fused.iter.value + part), fused.spatial});
        if (part == 1) { // the factored axis innermost, where it can be vectorised
            ReorderStep order{stage, {}};
            const auto count = static_cast<int>(result.stage(stage).iters.size());
            for (int i = 0; i < count; ++i)
                if (i != fused.spatial) order.order.emplace_back(i);
            order.order.emplace_back(fused.spatial);
            result = applied(result, std::move(order));
        }
        results.emplace_back(std::move(result), before(stage));
    }
    return results;
}

} // namespace

const SketchRule kAddRfactor = {"AddRfactor", meetsAddRfactor, addRfactor};

} // namespace loopscope
