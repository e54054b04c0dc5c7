#include "schedule/state_editor.h"

#include <algorithm>

namespace loopscope {

void StateEditor::attach(StageId stage, AttachPoint point) {
    detach(stage);
    state.m_attach[stage.index()] = point;
    state.m_attachOrder.push_back(stage);
}

void StateEditor::detach(StageId stage) {
    if (state.m_attach[stage.index()].stage.value < 0) return;
    state.m_attach[stage.index()] = {};
    std::erase(state.m_attachOrder, stage);
}

void StateEditor::insertStage(StageId at, Stage stage) {
    const auto offset = static_cast<ptrdiff_t>(at.index());
    state.m_stages.insert(at.index(), std::move(stage));
    state.m_attach.insert(state.m_attach.begin() + offset, AttachPoint{});
    const auto shift = [&](StageId &id) {
        if (id.value >= at.value) ++id.value;
    };
    for (AttachPoint &point : state.m_attach) shift(point.stage);
    for (StageId &id : state.m_attachOrder) shift(id);
}

void StateEditor::setDag(DagPtr dag) {
    for (size_t i = 0; i < dag->size(); ++i)
        if (state.m_stages[i].op != dag->ops()[i]) edit(StageId(i)).op = dag->ops()[i];
    state.m_dag = std::move(dag);
}

void StateEditor::forgetRanges(StageId stage) {
    for (Iter &iter : edit(stage).iters) {
        iter.min = 0;
        iter.extent = 0;
    }
}

} // namespace loopscope
