// RF: one part of a split reduction becomes a spatial axis: the new stage `.rf` computes partial results along it, the
// stage itself, now the next one and named `.repl`, combines them.
//
//   for i (0,4)              RF 1, iter 1, factor axis at 1       for i (0,4)
//     for k.0 (0,8)                        ->                       for k_o (0,8)
//       for k.1 (0,16)                                                for k_i (0,16)
//         C = ...                                                       C.rf = ...
//                                                                 for ax0 (0,4)
//                                                                   for k_o_v (0,8)
//                                                                     C.repl = ...
//
// It directly follows the SP that made the loop, which is how TVM replays it. Other loops of the
// stage are as new afterwards. A split that does not divide guards the partial reduction.

#include "schedule/steps/apply_step.h"

#include "language/te/scatter.h"
#include "schedule/derived_dags.h"
#include "schedule/iteration_graph.h"
#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

namespace loopscope {

namespace {

Refused checkRfactor(const LoopState &state, const RfactorStep &step) {
    if (Refused refused = checkIter(state, "RF", step.stage, step.iter)) return refused;
    if (Refused refused = checkStageCount(state, "RF")) return refused;
    const Stage &stage = state.stage(step.stage);
    if (!stage.op->reduction)
        return refusal(ScheduleRule::FactorsReduction, "RF", state, step.stage, {stagesThat(state, [&](StageId id) {
                           return static_cast<bool>(state.stage(id).op->reduction);
                       })});
    const auto factors = [&](StageId id) { return state.stage(id).op->reduction && !isScatter(*state.stage(id).op); };
    if (isScatter(*stage.op))
        return refusal(ScheduleRule::FactorsNoScatter, "RF", state, step.stage, {stagesThat(state, factors)});
    const auto refused = [&](ScheduleRule rule, std::vector<Suggestion> legal) {
        return refusal(rule, "RF", state, step.stage, step.iter, std::move(legal));
    };
    const Iter &iter = stage.iters[step.iter.index()];
    if (iter.kind != IterKind::Reduction)
        return refused(ScheduleRule::FactorsReductionLoop, {loopsThat(state, step.stage, [](const Iter &loop) {
                           return loop.kind == IterKind::Reduction;
                       })});
    const SplitStep *split = state.steps().empty() ? nullptr : std::get_if<SplitStep>(&state.steps().back());
    const int parts = split == nullptr ? 0 : static_cast<int>(split->lengths.size()) + 1;
    if (split == nullptr || split->stage != step.stage || step.iter < split->iter ||
        step.iter.value >= split->iter.value + parts) {
        const LegalNumbers lengths = splitLengths(iter);
        const int64_t middle = lengths.sensible.empty() ? 1 : lengths.sensible[lengths.sensible.size() / 2];
        return refused(ScheduleRule::FactorFollowsSplit,
                       {ApplyFirst{SplitStep{step.stage, step.iter, iter.extent, {middle}, true}}});
    }
    for (const int64_t length : split->lengths)
        if (length == kUnfilled) return refused(ScheduleRule::FactorLengthsFilled, {LegalNumbers{1, kLongestLength}});
    const int rank = static_cast<int>(stage.op->axes.size());
    if (step.factorIter < 0 || step.factorIter > rank) {
        ScheduleRefusal position = refused(ScheduleRule::FactorPositionInRange, {LegalNumbers{0, rank}});
        position.asked = step.factorIter;
        position.limit = rank;
        return position;
    }
    if (Refused attached = checkNothingAttached(state, "RF", step.stage)) return attached;
    return std::nullopt;
}

} // namespace

Refused applyStep(StateEditor &editor, const RfactorStep &step) {
    if (Refused refused = checkRfactor(editor.state, step)) return refused;
    const Stage &old = editor.state.stage(step.stage);
    DagPtr dag = rfactorDag(editor.state, step.stage, step.iter, step.factorIter);
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
