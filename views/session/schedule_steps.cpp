#include "views/session/schedule_steps.h"

namespace loopscope {

std::optional<EditedSteps> editableSteps(const TaskState &state, const ScheduleRef &ref) {
    if (!state.has(ref) || !state.task) return {};
    const auto number = static_cast<size_t>(ref.number);
    const DagPtr &dag = state.task->dag;
    switch (ref.kind) {
    case ScheduleRef::Kind::Naive:
        break;
    case ScheduleRef::Kind::Sketch:
        return EditedSteps(dag, state.sketches[number].state.steps());
    case ScheduleRef::Kind::Trial:
        return EditedSteps(dag, state.trials[number].trial.steps.unpack());
    case ScheduleRef::Kind::Edited:
        return state.edited[number].steps;
    }
    return EditedSteps(dag);
}

} // namespace loopscope
