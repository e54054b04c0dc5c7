#pragma once
// What the step kinds may do to a state while they change it in place: stages (copied first when shared), the attach
// map, inserting stages. Nothing here checks legality; the step kinds do, before they touch anything.

#include "schedule/loop_state.h"
#include "schedule/schedule_refusal.h"

namespace loopscope {

struct StateEditor {
    LoopState &state;

    [[nodiscard]] Stage &edit(StageId id) { return state.mutableStage(id); }

    void attach(StageId stage, AttachPoint point);
    void detach(StageId stage);
    /// Every stage attached to `target` at iterator i is attached at map(i) from now on.
    template <typename Map> void moveAttachments(StageId target, Map &&map) {
        for (AttachPoint &point : state.m_attach)
            if (point.stage == target) point.iter = IterId(map(point.iter.value));
    }
    /// Inserts a stage so that it gets number `at`; attach entries and the order are renumbered.
    void insertStage(StageId at, Stage stage);
    /// The DAG with added ops; every stage takes over the op at its number.
    void setDag(DagPtr dag);
    void reserveSteps(size_t count) { state.m_steps.reserve(count); }
    void record(const Step &step) { state.m_steps.push_back(step); }
    void setOpen() { state.m_concrete = false; }
    void setLocation(StageId stage, ComputeLocation location) { edit(stage).location = location; }
    /// All ranges of the stage become unknown.
    void forgetRanges(StageId stage);
};

/// Applies the step in place without recording it; the state is unchanged when refused.
Refused applyInPlace(StateEditor &editor, const Step &step);

} // namespace loopscope
