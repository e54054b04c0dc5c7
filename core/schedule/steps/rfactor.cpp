#include "schedule/steps/rfactor.h"

#include "schedule/derived_dags.h"
#include "schedule/iteration_graph.h"
#include "schedule/steps/step_checks.h"

namespace loopscope {

namespace {

Refused checkRfactor(const LoopState &state, const RfactorStep &step) {
    if (Refused refused = checkIter(state, "RF", step.stage, step.iter)) return refused;
    if (Refused refused = checkStageCount(state, "RF")) return refused;
    const Stage &stage = state.stage(step.stage);
    if (!stage.op->reduction)
        return refuse("RF cannot factor {}: it does not reduce; name a stage with a reduction",
                      stageText(state, step.stage));
    if (stage.iters[step.iter.index()].kind != IterKind::Reduction)
        return refuse("RF cannot factor {}: it is not a reduction loop; name a part of a split reduction loop",
                      loopText(state, step.stage, step.iter));
    const SplitStep *split = state.steps().empty() ? nullptr : std::get_if<SplitStep>(&state.steps().back());
    const int parts = split == nullptr ? 0 : static_cast<int>(split->lengths.size()) + 1;
    if (split == nullptr || split->stage != step.stage || step.iter < split->iter ||
        step.iter.value >= split->iter.value + parts)
        return refuse("RF on {} does not follow the SP that made that loop: split the reduction loop in the step right "
                      "before RF, and factor one of the parts",
                      loopText(state, step.stage, step.iter));
    for (const int64_t length : split->lengths)
        if (length == kUnfilled)
            return refuse("RF on {} needs the lengths of the split before it: fill them first",
                          loopText(state, step.stage, step.iter));
    const int rank = static_cast<int>(stage.op->axes.size());
    if (step.factorIter < 0 || step.factorIter > rank)
        return refuse(
            "RF cannot put the factored axis of {} at position {}: it goes between the {} spatial axes, at 0 to {}",
            stageText(state, step.stage), step.factorIter, rank, rank);
    if (const StageId attached = anyAttachedTo(state, step.stage); attached.value >= 0)
        return refuse(
            "RF cannot factor {}: {} is attached at its loop {}, which the step replaces; factor first, attach "
            "afterwards",
            stageText(state, step.stage), stageText(state, attached), state.attachedTo(attached).iter.value);
    return std::nullopt;
}

} // namespace

Refused applyStep(StateEditor &editor, const RfactorStep &step) {
    if (Refused refused = checkRfactor(editor.state, step)) return refused;
    const Stage &old = editor.state.stage(step.stage);
    DagPtr dag = rfactorDag(editor.state.dag(), step.stage, old, step.iter, step.factorIter);
    const StageId combine(step.stage.value + 1);
    const ComputeLocation location = old.location;
    editor.edit(step.stage) = naiveStage(dag->ops()[combine.index()]);
    editor.setLocation(step.stage, location);
    if (location == ComputeLocation::Attached) editor.forgetRanges(step.stage);
    editor.insertStage(step.stage, naiveStage(dag->ops()[step.stage.index()]));
    editor.setDag(std::move(dag));
    return std::nullopt;
}

} // namespace loopscope
