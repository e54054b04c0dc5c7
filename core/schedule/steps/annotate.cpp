#include "schedule/steps/annotate.h"

#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const AnnotateStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkIter(state, "AN", step.stage, step.iter)) return refused;
    const Iter &iter = state.stage(step.stage).iters[step.iter.index()];
    if (iter.annotation != Annotation::None)
        return refuse("AN cannot make {} {}: it already is {}, and a loop is annotated once; annotate another loop",
                      loopText(state, step.stage, step.iter), annotationText(step.annotation),
                      annotationText(iter.annotation));
    const bool dependent = iter.kind == IterKind::Reduction || iter.kind == IterKind::Mixed;
    if (dependent && (step.annotation == Annotation::Parallel || step.annotation == Annotation::Vectorize))
        return refuse(
            "AN cannot make {} {}: it reduces, so its iterations depend on each other; annotate a spatial loop, "
            "or unroll this one",
            loopText(state, step.stage, step.iter), annotationText(step.annotation));
    if (step.annotation == Annotation::Tensorize)
        return refuse("AN cannot make {} tensorize: no tensor instruction is known here; vectorize or unroll it",
                      loopText(state, step.stage, step.iter));
    editor.edit(step.stage).iters[step.iter.index()].annotation = step.annotation;
    return std::nullopt;
}

} // namespace loopscope
