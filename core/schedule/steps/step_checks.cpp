#include "schedule/steps/step_checks.h"

namespace loopscope {

std::string stageText(const LoopState &state, StageId id) {
    return fmt::format("stage {} ({})", id.value, state.stage(id).op->name);
}

std::string loopText(const LoopState &state, StageId id, IterId iter) {
    return fmt::format("loop {} ({}) of {}", iter.value, state.stage(id).iters[iter.index()].name,
                       stageText(state, id));
}

Refused checkStage(const LoopState &state, const char *tag, StageId id) {
    if (id.value >= 0 && id.index() < state.stageCount()) return std::nullopt;
    return refuse("{} names stage {}, which does not exist: the state has stages 0 to {}", tag, id.value,
                  state.stageCount() - 1);
}

Refused checkStageCount(const LoopState &state, const char *tag) {
    // A copy of each input and of the result, and two halves of the sum.
    constexpr size_t perOp = 4;
    constexpr size_t always = 32;
    const size_t ops = state.originalDag()->size();
    if (state.stageCount() < ops + perOp * ops + always) return std::nullopt;
    return refuse("{} would add one more stage to the {} there are: a schedule of {} ops has at most {}", tag,
                  state.stageCount(), ops, ops + perOp * ops + always);
}

Refused checkLoops(const LoopState &state, const char *tag, StageId id) {
    if (Refused refused = checkStage(state, tag, id)) return refused;
    const Stage &stage = state.stage(id);
    if (stage.op->isPlaceholder())
        return refuse("{} needs loops, but {} is a placeholder and has none: choose a compute stage", tag,
                      stageText(state, id));
    if (stage.location == ComputeLocation::Inlined)
        return refuse("{} needs loops, but {} is inlined into its readers: compute it at root (CR) or at a loop (CA) "
                      "first",
                      tag, stageText(state, id));
    return std::nullopt;
}

Refused checkIter(const LoopState &state, const char *tag, StageId id, IterId iter) {
    if (Refused refused = checkLoops(state, tag, id)) return refused;
    const size_t count = state.stage(id).iters.size();
    if (iter.value >= 0 && iter.index() < count) return std::nullopt;
    if (count == 0) return refuse("{} names loop {} of {}, which has no loops", tag, iter.value, stageText(state, id));
    return refuse("{} names loop {} of {}, which has loops 0 to {}", tag, iter.value, stageText(state, id), count - 1);
}

Refused checkPlainIter(const LoopState &state, const char *tag, StageId id, IterId iter) {
    if (Refused refused = checkIter(state, tag, id, iter)) return refused;
    const Annotation annotation = state.stage(id).iters[iter.index()].annotation;
    if (annotation == Annotation::None) return std::nullopt;
    return refuse("{} would lose the annotation {} of {}: take a loop without annotation, and annotate afterwards", tag,
                  annotationText(annotation), loopText(state, id, iter));
}

StageId anyAttachedTo(const LoopState &state, StageId id) {
    for (size_t i = 0; i < state.stageCount(); ++i)
        if (state.attachedTo(StageId(i)).stage == id) return StageId(i);
    return StageId();
}

} // namespace loopscope
