// SpecialComputeLocation (GPU): the producer of a stage with unrolled constant-tensor indices is computed just outside
// the unrolled loops instead of being inlined into them, where it would be repeated.

#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

namespace loopscope {

namespace {

/// Position just outside the first unrolled loop; -1 when there is none or nothing is outside.
int outsideUnrolled(const Stage &stage) {
    for (size_t i = 0; i < stage.iters.size(); ++i)
        if (stage.iters[i].annotation == Annotation::Unroll) return static_cast<int>(i) - 1;
    return -1;
}

RuleAnswer meetsSpecialComputeLocation(const SketchContext &context, const LoopState &state, StageId stage) {
    if (producers(state, stage).empty()) return {Verdict::Skip, "it reads nothing"};
    if (!alwaysInlined(state, stage, context.gpu())) return {Verdict::Skip, "it would not be inlined anyway"};
    const auto readers = consumers(state, stage);
    if (readers.size() != 1) return {Verdict::Skip, "it has several consumers"};
    const Stage &consumer = state.stage(readers.front());
    if (!consumer.op->attrs.contains("auto_scheduler_simplify_const_tensor_indices"))
        return {Verdict::Skip, "its consumer has no constant tensor indices"};
    if (outsideUnrolled(consumer) < 0) return {Verdict::Skip, "its consumer has no loop outside the unrolled ones"};
    return {Verdict::ApplyAndSkipRest, "computed outside the unrolled loops of its consumer"};
}

SketchResults specialComputeLocation(const SketchContext &, const LoopState &state, StageId stage) {
    const StageId consumer = consumers(state, stage).front();
    const IterId at(outsideUnrolled(state.stage(consumer)));
    return {{applied(state, ComputeAtStep{stage, consumer, at}), before(stage)}};
}

} // namespace

const SketchRule kSpecialComputeLocation = {"SpecialComputeLocation", meetsSpecialComputeLocation,
                                            specialComputeLocation};

} // namespace loopscope
