// CHW: the computation moves to a new stage in the given memory scope, and the stage itself, now the next one, copies
// the result. What was scheduled on the stage before is lost, so the step comes first.
//
//   for i (0,4)              CHW 2, scope local             for i_c (0,4)
//     for k (0,8)                          ->                 for k (0,8)
//       C = ...                                                 C.local = ...
//                                                           for i (0,4)
//                                                             C = ...

#include "schedule/steps/apply_step.h"

#include "language/te/scan.h"
#include "schedule/derived_dags.h"
#include "schedule/iteration_graph.h"
#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const CacheWriteStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkLoops(state, "CHW", step.stage)) return refused;
    if (Refused refused = checkStageCount(state, "CHW")) return refused;
    if (step.scope.empty())
        return refusal(ScheduleRule::ScopeNamed, "CHW", state, step.stage, {LegalWords{{"local", "global"}}});
    if (const std::optional<Scan> scan = scanOf(*state.stage(step.stage).op)) {
        ScheduleRefusal ordered =
            refusal(ScheduleRule::CachesNoScan, "CHW", state, step.stage, {attachPoints(state, step.stage)});
        ordered.word = state.stage(step.stage).op->axes[scan->axis].name();
        return ordered;
    }
    if (Refused refused = checkNothingAttached(state, "CHW", step.stage)) return refused;
    DagPtr dag = cacheWriteDag(state, step.stage, step.scope);
    Stage cache = naiveStage(dag->ops()[step.stage.index()]);
    cache.scope = step.scope;
    const StageId copy(step.stage.value + 1);
    editor.detach(step.stage);
    editor.edit(step.stage) = naiveStage(dag->ops()[copy.index()]);
    editor.insertStage(step.stage, std::move(cache));
    editor.setDag(std::move(dag));
    return std::nullopt;
}

} // namespace loopscope
