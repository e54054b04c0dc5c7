// The ordered list: lengths first, since everything later asks for extents; places before loops are fused; parallel
// loops before vector loops, so that both do not claim one iterator.

#include "search/annotate/annotate_rule.h"

namespace loopscope {

Outcome<LoopState> annotate(const AnnotateContext &context, const LoopState &sketch) {
    auto replayed = replay(sketch.originalDag(), fillTileSizes(context, sketch.steps()));
    if (!replayed) return replayed.refusal();
    auto state = boundedState(*replayed, context.scratch);
    if (!state) return state.refusal();
    for (const auto *rule : {&kChooseComputeLocation, &kChooseParallel, &kChooseUnroll, &kChooseVectorize}) {
        state = rule->apply(context, std::move(state).value());
        if (!state) return state.refusal();
    }
    return state;
}

} // namespace loopscope
