// CHR: the named readers read a copy of the stage in the given memory scope; the copy is a new stage right after it.
//
//   Placeholder: A            CHR 0, scope shared, readers [1]       Placeholder: A
//   for i (0,4)                              ->                     for ax0 (0,4)
//     B = ...                                                         A.shared = ...
//                                                                   for i (0,4)
//                                                                     B = ...

#include "schedule/steps/apply_step.h"

#include "schedule/derived_dags.h"
#include "schedule/iteration_graph.h"
#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

#include <algorithm>

namespace loopscope {

Refused applyStep(StateEditor &editor, const CacheReadStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkStage(state, "CHR", step.stage)) return refused;
    if (Refused refused = checkStageCount(state, "CHR")) return refused;
    if (step.scope.empty())
        return refusal(ScheduleRule::ScopeNamed, "CHR", state, step.stage, {LegalWords{{"shared", "local", "global"}}});
    if (step.readers.empty())
        return refusal(ScheduleRule::ReaderNamed, "CHR", state, step.stage, {directReaders(state, step.stage)});
    for (auto reader = step.readers.begin(); reader != step.readers.end(); ++reader) {
        if (Refused refused = checkStage(state, "CHR", *reader)) return refused;
        const auto refused = [&](ScheduleRule rule) {
            ScheduleRefusal about = refusal(rule, "CHR", state, step.stage, {directReaders(state, step.stage)});
            about.otherStage = named(state, *reader);
            return about;
        };
        bool reads = false; // output 0, the one that is copied
        for (const LoadAccess &load : state.dag()->access(reader->index()).loads)
            reads = reads || load.tensor == &state.stage(step.stage).op->output();
        if (!reads) return refused(ScheduleRule::ReaderReadsStage);
        if (std::find(step.readers.begin(), reader, *reader) != reader) return refused(ScheduleRule::ReaderNamedOnce);
    }
    DagPtr dag = cacheReadDag(state, step.stage, step.scope, step.readers);
    const StageId copy(step.stage.value + 1);
    Stage stage = naiveStage(dag->ops()[copy.index()]);
    stage.scope = step.scope;
    editor.insertStage(copy, std::move(stage));
    editor.setDag(std::move(dag));
    return std::nullopt;
}

} // namespace loopscope
