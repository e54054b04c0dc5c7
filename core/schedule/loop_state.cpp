#include "schedule/loop_state.h"

#include "schedule/iteration_graph.h"
#include "schedule/state_editor.h"

namespace loopscope {

LoopState::LoopState(DagPtr dag) : m_original(dag), m_dag(std::move(dag)), m_attach(m_dag->size()) {
    m_stages.reserve(m_dag->size() + 4);
    for (const OpPtr &op : m_dag->ops()) m_stages.push_back(std::make_shared<Stage>(naiveStage(op)));
}

Outcome<LoopState> LoopState::apply(Step step) const {
    LoopState next = *this;
    StateEditor editor{next};
    if (Refused refused = applyInPlace(editor, step)) return *std::move(refused);
    next.m_steps.push_back(std::move(step));
    return next;
}

std::vector<StageId> LoopState::attachedAt(StageId stage, IterId iter) const {
    std::vector<StageId> result;
    for (StageId id : m_attachOrder)
        if (m_attach[id.index()] == AttachPoint{stage, iter}) result.push_back(id);
    return result;
}

bool LoopState::hasAttachedAt(StageId stage, IterId iter) const {
    for (const AttachPoint &point : m_attach)
        if (point == AttachPoint{stage, iter}) return true;
    return false;
}

Stage &LoopState::mutableStage(StageId id) {
    StagePtr &stage = m_stages[id.index()];
    if (stage.use_count() != 1) {
        stage = std::make_shared<Stage>(*stage);
    } else {
        // The last other owner may have been a state on another thread, and the count alone does not say that it has
        // read the stage for the last time. Taking a share and giving it back does: it comes after that owner did the
        // same.
        StagePtr(stage).reset();
    }
    return const_cast<Stage &>(*stage);
}

} // namespace loopscope
