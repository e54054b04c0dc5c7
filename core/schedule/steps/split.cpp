#include "schedule/steps/split.h"

#include "schedule/iteration_graph.h"
#include "schedule/steps/split_checks.h"
#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused splitLoop(StateEditor &editor, const char *tag, StageId id, IterId iter, std::span<const int64_t> lengths,
                  bool innerToOuter) {
    if (Refused refused = checkIter(editor.state, tag, id, iter)) return refused;
    constexpr int64_t longest = int64_t(1) << 31;
    for (const int64_t length : lengths)
        if (length != kUnfilled && (length < 1 || length > longest))
            return refuse("{} cannot split {} by {}: lengths are 1 to {}", tag, loopText(editor.state, id, iter),
                          length, longest);
    if (lengths.empty())
        return refuse("{} gives no length for {}: give at least one", tag, loopText(editor.state, id, iter));
    constexpr size_t mostLoops = 256;
    const size_t loops = editor.state.stage(id).iters.size() + lengths.size();
    if (loops > mostLoops)
        return refuse("{} cannot split {} into {} parts: the stage would have {} loops, at most {} are kept", tag,
                      loopText(editor.state, id, iter), lengths.size() + 1, loops, mostLoops);
    if (splitLeaf(editor.edit(id), iter, lengths, innerToOuter)) editor.setOpen();
    const int added = static_cast<int>(lengths.size());
    editor.moveAttachments(id, [=](int at) { return at >= iter.value ? at + added : at; });
    return std::nullopt;
}

Refused findSplit(const LoopState &state, const char *tag, StageId stage, StepId source, const SplitStep *&split) {
    const Steps &steps = state.steps();
    if (source.value < 0 || source.index() >= steps.size())
        return refuse("{} on {} follows step {}, but only steps 0 to {} come before it", tag, stageText(state, stage),
                      source.value, static_cast<int>(steps.size()) - 1);
    split = std::get_if<SplitStep>(&steps[source.index()]);
    if (split != nullptr) return std::nullopt;
    return refuse("{} on {} follows step {}, which is {}: only an SP can be followed", tag, stageText(state, stage),
                  source.value, stepTag(steps[source.index()]));
}

Refused applyStep(StateEditor &editor, const SplitStep &step) {
    return splitLoop(editor, "SP", step.stage, step.iter, step.lengths, step.innerToOuter);
}

} // namespace loopscope
