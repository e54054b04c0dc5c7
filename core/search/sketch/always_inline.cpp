// AlwaysInline: a stage that costs nothing to repeat is computed where it is read. On a GPU every stage without a
// reduction; on a CPU only strictly inlineable ones.
//
// InlineMore (beyond Ansor, on in searches): also stages with a branch, an expensive call or a transposing access, as
// one more alternative beside keeping them.

#include "language/dag/access.h"
#include "language/dag/stays_in_memory.h"
#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

namespace loopscope {

namespace {

constexpr const char *kStays = "its layout is what it is there for, and only memory has one";
constexpr const char *kTooManyReads = "inlined, a statement would read too many elements";

SketchResults inlineStage(const SketchContext &, const LoopState &state, StageId stage) {
    return {{applied(state, ComputeInlineStep{stage}), before(stage)}};
}

RuleAnswer meetsAlways(const SketchContext &context, const LoopState &state, StageId stage) {
    if (state.stage(stage).op->isPlaceholder()) return {Verdict::Skip, "a placeholder is not computed"};
    if (isOutput(state, stage)) return {Verdict::Skip, "an output must be stored"};
    if (hasReduceIter(state.stage(stage))) return {Verdict::Skip, "it reduces"};
    if (staysInMemory(*state.stage(stage).op)) return {Verdict::Skip, kStays};
    if (!alwaysInlined(state, stage, context.gpu()))
        return {Verdict::Skip, "not strictly inlineable: a branch, exp, or an access out of order"};
    if (!inliningFits(state, stage)) return {Verdict::Skip, kTooManyReads};
    return {Verdict::ApplyAndSkipRest, "repeating it costs next to nothing"};
}

RuleAnswer meetsMore(const SketchContext &, const LoopState &state, StageId stage) {
    const Op &op = *state.stage(stage).op;
    if (op.isPlaceholder() || isOutput(state, stage) || hasReduceIter(state.stage(stage)))
        return {Verdict::Skip, "a placeholder, an output or a reduction"};
    if (op.attrs.contains("auto_scheduler_simplify_const_tensor_indices"))
        return {Verdict::Skip, "its constant indices are simplified instead"};
    if (staysInMemory(op)) return {Verdict::Skip, kStays};
    if (op.outputs.size() != 1) return {Verdict::Skip, "it has several outputs"};
    if (!inliningFits(state, stage)) return {Verdict::Skip, kTooManyReads};
    return {Verdict::Apply, "computing it where it is read saves its memory traffic"};
}

} // namespace

const SketchRule kAlwaysInline = {"AlwaysInline", meetsAlways, inlineStage};
const SketchRule kInlineMore = {"InlineMore", meetsMore, inlineStage};

} // namespace loopscope
