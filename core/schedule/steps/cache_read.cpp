#include "schedule/steps/cache_read.h"

#include "schedule/derived_dags.h"
#include "schedule/iteration_graph.h"
#include "schedule/steps/step_checks.h"

#include <algorithm>

namespace loopscope {

Refused applyStep(StateEditor &editor, const CacheReadStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkStage(state, "CHR", step.stage)) return refused;
    if (Refused refused = checkStageCount(state, "CHR")) return refused;
    if (step.scope.empty())
        return refuse("CHR on {} names no memory scope: name one, such as shared, local or global",
                      stageText(state, step.stage));
    if (step.readers.empty())
        return refuse("CHR on {} names no reader: name the stages that are to read the copy",
                      stageText(state, step.stage));
    for (size_t i = 0; i < step.readers.size(); ++i) {
        const StageId reader = step.readers[i];
        if (Refused refused = checkStage(state, "CHR", reader)) return refused;
        bool reads = false; // output 0, the one that is copied
        for (const LoadAccess &load : state.dag()->access(reader.index()).loads)
            reads = reads || load.tensor == &state.stage(step.stage).op->output();
        if (!reads)
            return refuse("CHR cannot redirect {} to a copy of {}: it does not read that stage; name stages that do",
                          stageText(state, reader), stageText(state, step.stage));
        if (std::find(step.readers.begin(), step.readers.begin() + static_cast<ptrdiff_t>(i), reader) !=
            step.readers.begin() + static_cast<ptrdiff_t>(i))
            return refuse("CHR on {} names the reader {} twice: name each once", stageText(state, step.stage),
                          stageText(state, reader));
    }
    DagPtr dag = cacheReadDag(state.dag(), step.stage, step.scope, step.readers);
    const StageId copy(step.stage.value + 1);
    Stage stage = naiveStage(dag->ops()[copy.index()]);
    stage.scope = step.scope;
    editor.insertStage(copy, std::move(stage));
    editor.setDag(std::move(dag));
    return std::nullopt;
}

} // namespace loopscope
