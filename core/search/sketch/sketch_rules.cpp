#include "base/check.h"
#include "schedule/steps_json.h"
#include "search/target_rules.h"

namespace loopscope {

std::vector<const SketchRule *> sketchRules(const Target &target, const SketchOptions &options) {
    std::vector<const SketchRule *> rules = rulesFor(target.kind).sketchRules;
    if (!options.keepPrologues) std::erase(rules, &kKeepPrologue);
    if (!options.inlineMore) std::erase(rules, &kInlineMore);
    if (!options.packInputs) std::erase(rules, &kPackInput);
    if (!options.vectorizeWeights) std::erase(rules, &kVectorizeWeights);
    return rules;
}

LoopState applied(const LoopState &state, Step step) {
    const std::string text = stepText(step);
    auto result = state.apply(std::move(step));
    LOOPSCOPE_CHECK(result.ok(), "a sketch rule made an illegal step " + text + ": " + result.why());
    return std::move(result).value();
}

} // namespace loopscope
