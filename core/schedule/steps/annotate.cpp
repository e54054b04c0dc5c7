// AN: how the iterations of a loop run.
//
//   for i (0,4)              AN 0, iter 0, vectorize      vectorize i (0,4)
//     A = ...                              ->               A = ...
//
// A loop is annotated once. Iterations of a reduction depend on each other, so such a loop is neither parallel nor
// vectorized (a thread-bound one is a reduction across threads).

#include "schedule/steps/apply_step.h"

#include "language/te/scatter.h"
#include "schedule/iteration_graph.h"
#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const AnnotateStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkIter(state, "AN", step.stage, step.iter)) return refused;
    const Iter &iter = state.stage(step.stage).iters[step.iter.index()];
    const auto refused = [&](ScheduleRule rule, std::vector<Suggestion> legal) {
        ScheduleRefusal about = refusal(rule, "AN", state, step.stage, step.iter, std::move(legal));
        about.word = annotationText(step.annotation);
        about.present = annotationText(iter.annotation);
        return about;
    };
    const auto dependent = [](const Iter &loop) {
        return loop.kind == IterKind::Reduction || loop.kind == IterKind::Mixed;
    };
    if (iter.annotation != Annotation::None)
        return refused(ScheduleRule::AnnotatedOnce, {plainLoops(state, step.stage)});
    const Stage &stage = state.stage(step.stage);
    const bool scan = isScanLoop(stage, iter);
    const bool inOrder = scan || (dependent(iter) && isScatter(*stage.op));
    const bool unrolled = step.annotation == Annotation::Unroll || step.annotation == Annotation::None;
    if (inOrder && !unrolled && step.annotation != Annotation::Tensorize)
        return refused(
            scan ? ScheduleRule::ScanGoesInOrder : ScheduleRule::ScatteredTermsMeet,
            {loopsThat(state, step.stage,
                       [&](const Iter &loop) { return loop.annotation == Annotation::None && !dependent(loop); }),
             LegalAnnotations{{Annotation::Unroll}}});
    const bool together = step.annotation == Annotation::Parallel || step.annotation == Annotation::Vectorize;
    if (dependent(iter) && together)
        return refused(
            ScheduleRule::IterationsIndependent,
            {loopsThat(state, step.stage,
                       [&](const Iter &loop) { return loop.annotation == Annotation::None && !dependent(loop); }),
             LegalAnnotations{{Annotation::Unroll}}});
    if (step.annotation == Annotation::Tensorize)
        return refused(ScheduleRule::TensorInstructionKnown,
                       {dependent(iter) ? LegalAnnotations{{Annotation::Unroll}}
                                        : LegalAnnotations{{Annotation::Vectorize, Annotation::Unroll}}});
    editor.edit(step.stage).iters[step.iter.index()].annotation = step.annotation;
    return std::nullopt;
}

} // namespace loopscope
