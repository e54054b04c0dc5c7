// The ordered list. Inlining stands before everything that would schedule a stage of its own; rfactor before tiling,
// since it leaves a different stage to tile; the cache before the fusion it makes possible; skipping last, for what
// nothing claimed exclusively.

#include "check.h"
#include "schedule/steps_json.h"
#include "search/sketch/sketch_rule.h"

namespace loopscope {

std::vector<const SketchRule *> sketchRules(const Target &target, const SketchOptions &options) {
    if (target.isGpu())
        return {&kAddCacheRead,
                &kSpecialComputeLocation,
                &kAlwaysInline,
                &kSimplifyConstTensor,
                &kCrossThreadReduction,
                &kAddCacheWrite,
                &kTilingWithFusion,
                &kTiling,
                &kSkipStage};
    std::vector<const SketchRule *> rules = {&kAlwaysInline};
    if (options.inlineMore) rules.push_back(&kInlineMore);
    if (options.packInputs) rules.push_back(&kPackInput);
    for (const SketchRule *rule : {&kSimplifyConstTensor, &kAddRfactor, &kAddCacheWrite}) rules.push_back(rule);
    if (options.vectorizeWeights) rules.push_back(&kVectorizeWeights);
    for (const SketchRule *rule : {&kTilingWithFusion, &kTiling, &kSkipStage}) rules.push_back(rule);
    return rules;
}

LoopState applied(const LoopState &state, Step step) {
    const std::string text = stepText(step);
    auto result = state.apply(std::move(step));
    LOOPSCOPE_CHECK(result.ok(), "a sketch rule made an illegal step " + text + ": " + result.why());
    return std::move(result).value();
}

} // namespace loopscope
