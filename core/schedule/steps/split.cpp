// SP: one loop becomes n + 1 nested ones.
//
//   for i (0,64)             SP 0, iter 0, lengths [4, 8], inner to outer      for i.0 (0,2)
//     A = ...                              ->                                 for i.1 (0,4)
//                                                                               for i.2 (0,8)
//                                                                                 A = ...
//
// The remaining extent, rounded up, goes to the outermost part (inner to outer) or to the innermost (outer to inner),
// so a length that does not divide leaves a guarded tail. An annotation does not carry over: annotate the part meant.
// Stages attached at the loop end up at the innermost part. The recorded extent is history: in records it may be stale
// (a mutation of an earlier tile size changes the loop, not the number), and the extent of the loop itself counts.

#include "schedule/steps/apply_step.h"

#include "schedule/iteration_graph.h"
#include "schedule/steps/split_checks.h"
#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

namespace loopscope {

Refused splitLoop(StateEditor &editor, const char *tag, StageId id, IterId iter, std::span<const int64_t> lengths,
                  bool innerToOuter) {
    if (Refused refused = checkIter(editor.state, tag, id, iter)) return refused;
    const auto refused = [&](ScheduleRule rule, std::vector<Suggestion> legal) {
        return refusal(rule, tag, editor.state, id, iter, std::move(legal));
    };
    const Stage &stage = editor.state.stage(id);
    if (isScanLoop(stage, stage.iters[iter.index()]))
        return refused(ScheduleRule::ScanStaysOneLoop,
                       {loopsThat(editor.state, id, [&](const Iter &loop) { return !isScanLoop(stage, loop); })});
    for (const int64_t length : lengths)
        if (length != kUnfilled && (length < 1 || length > kLongestLength)) {
            ScheduleRefusal range = refused(ScheduleRule::LengthInRange, {splitLengths(stage.iters[iter.index()])});
            range.asked = length;
            range.limit = kLongestLength;
            return range;
        }
    if (lengths.empty()) return refused(ScheduleRule::LengthGiven, {splitLengths(stage.iters[iter.index()])});
    constexpr size_t maxLoops = 256;
    const size_t loops = stage.iters.size() + lengths.size();
    if (loops > maxLoops) {
        const auto parts = static_cast<int64_t>(maxLoops - stage.iters.size()) + 1;
        ScheduleRefusal many =
            refused(ScheduleRule::LoopLimit,
                    parts < 2 ? std::vector<Suggestion>{} : std::vector<Suggestion>{LegalNumbers{2, parts}});
        many.beside = static_cast<int64_t>(lengths.size()) + 1;
        many.asked = static_cast<int64_t>(loops);
        many.limit = static_cast<int64_t>(maxLoops);
        return many;
    }
    if (splitLeaf(editor.edit(id), iter, lengths, innerToOuter)) editor.setOpen();
    const int added = static_cast<int>(lengths.size());
    editor.moveAttachments(id, [=](int at) { return at >= iter.value ? at + added : at; });
    return std::nullopt;
}

Refused findSplit(const LoopState &state, const char *tag, StageId stage, StepId source, const SplitStep *&split) {
    const Steps &steps = state.steps();
    const auto refused = [&](ScheduleRule rule) {
        ScheduleRefusal about = refusal(rule, tag, state, stage, {splitsSoFar(state)});
        about.follows = source;
        return about;
    };
    if (source.value < 0 || source.index() >= steps.size()) {
        ScheduleRefusal later = refused(ScheduleRule::FollowedStepBefore);
        later.limit = static_cast<int64_t>(steps.size()) - 1;
        return later;
    }
    split = std::get_if<SplitStep>(&steps[source.index()]);
    if (split != nullptr) return std::nullopt;
    ScheduleRefusal other = refused(ScheduleRule::FollowedStepIsSplit);
    other.word = stepTag(steps[source.index()]);
    return other;
}

Refused applyStep(StateEditor &editor, const SplitStep &step) {
    return splitLoop(editor, "SP", step.stage, step.iter, step.lengths, step.innerToOuter);
}

} // namespace loopscope
