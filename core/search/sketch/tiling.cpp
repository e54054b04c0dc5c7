// TilingWithFusion and Tiling: multi-level tiling of a stage with data reuse, with its element-wise consumer computed
// tile by tile behind it, or alone.

#include "search/sketch/consumer_fusion.h"
#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"
#include "search/sketch/tile_structure.h"

namespace loopscope {

namespace {

RuleAnswer meetsFusion(const SketchContext &context, const LoopState &state, StageId stage) {
    if (!needsTiling(state, stage)) return {Verdict::Skip, "it has no data reuse to tile for"};
    const StageId consumer = singleElementwiseConsumer(state, stage);
    if (consumer.value < 0) return {Verdict::Skip, "no single element-wise consumer to fuse"};
    if (fusionLevels(context, state, stage, consumer).empty())
        return {Verdict::Skip,
                "its tiles do not line up with the loops of its consumer " + state.stage(consumer).op->name};
    const bool always = context.gpu() || hasCacheWrite(state, stage);
    return {always ? Verdict::ApplyAndSkipRest : Verdict::Apply,
            "fused with its consumer " + state.stage(consumer).op->name};
}

SketchResults applyFusion(const SketchContext &context, const LoopState &state, StageId stage) {
    return tileIntoConsumer(context, state, stage, singleElementwiseConsumer(state, stage));
}

RuleAnswer meetsTiling(const SketchContext &, const LoopState &state, StageId stage) {
    if (!needsTiling(state, stage)) return {Verdict::Skip, "it has no data reuse to tile for"};
    return {Verdict::ApplyAndSkipRest, "tiled for reuse in registers and caches"};
}

SketchResults applyTiling(const SketchContext &context, const LoopState &state, StageId stage) {
    return {{tileStage(state, stage, tileStructure(context)).first, before(stage)}};
}

} // namespace

const SketchRule kTilingWithFusion = {"TilingWithFusion", meetsFusion, applyFusion};
const SketchRule kTiling = {"Tiling", meetsTiling, applyTiling};

} // namespace loopscope
