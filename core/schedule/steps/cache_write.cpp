#include "schedule/steps/cache_write.h"

#include "schedule/derived_dags.h"
#include "schedule/iteration_graph.h"
#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const CacheWriteStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkLoops(state, "CHW", step.stage)) return refused;
    if (Refused refused = checkStageCount(state, "CHW")) return refused;
    if (step.scope.empty())
        return refuse("CHW on {} names no memory scope: name one, such as local or global",
                      stageText(state, step.stage));
    if (const StageId attached = anyAttachedTo(state, step.stage); attached.value >= 0)
        return refuse(
            "CHW cannot cache {}: {} is attached at its loop {}, which the step replaces; cache first, attach "
            "afterwards",
            stageText(state, step.stage), stageText(state, attached), state.attachedTo(attached).iter.value);
    DagPtr dag = cacheWriteDag(state.dag(), step.stage, step.scope);
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
