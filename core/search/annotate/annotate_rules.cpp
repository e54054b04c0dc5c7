// Lengths first, since everything later asks for extents; then the rules of the kind of target, in order.

#include "search/target_rules.h"

namespace loopscope {

Outcome<LoopState> annotate(const AnnotateContext &context, const LoopState &sketch) {
    auto replayed = replay(sketch.originalDag(), fillTileSizes(context, sketch.steps()));
    if (!replayed) return replayed.refusal();
    auto state = boundedState(*replayed, context.scratch);
    if (!state) return state.refusal();
    for (const AnnotateRule *rule : rulesFor(context.target.kind).annotateRules) {
        state = rule->apply(context, std::move(state).value());
        if (!state) return state.refusal();
    }
    return state;
}

} // namespace loopscope
