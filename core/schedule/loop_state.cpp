#include "schedule/loop_state.h"

#include "schedule/iteration_graph.h"
#include "schedule/state_editor.h"

namespace loopscope {

LoopState::LoopState(DagPtr dag) : m_original(dag), m_dag(std::move(dag)), m_attach(m_dag->size()) {
    m_stages.reserve(m_dag->size() + 4);
    for (const OpPtr &op : m_dag->ops()) m_stages.insert(m_stages.size(), naiveStage(op));
}

Outcome<LoopState> LoopState::apply(Step step) const {
    LoopState next = *this;
    StateEditor editor{next};
    if (Refused refused = applyInPlace(editor, step)) return Refusal(*refused);
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

std::string LoopState::text(bool deleteTrivialLoops) const { return stateText(*this, deleteTrivialLoops, {}); }

} // namespace loopscope
