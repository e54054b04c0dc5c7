#include "schedule/state_editor.h"
#include "schedule/steps/apply_step.h"
#include "schedule/stepwise_replay.h"

namespace loopscope {

Refused applyInPlace(StateEditor &editor, const Step &step) {
    return std::visit([&](const auto &kind) { return applyStep(editor, kind); }, step);
}

StepwiseReplay::StepwiseReplay(const DagPtr &dag, size_t steps) : m_state(dag) {
    StateEditor{m_state}.reserveSteps(steps);
}

Refused StepwiseReplay::apply(const Step &step) {
    StateEditor editor{m_state};
    if (Refused refused = applyInPlace(editor, step)) {
        refused->step = StepId(m_state.steps().size());
        return refused;
    }
    editor.record(step);
    return std::nullopt;
}

void StepwiseReplay::count(const Step &step) { StateEditor{m_state}.record(step); }

Outcome<LoopState> replay(const DagPtr &dag, const Steps &steps) {
    StepwiseReplay replay(dag, steps.size());
    for (const Step &step : steps)
        if (const Refused refused = replay.apply(step)) return Refusal(*refused);
    return std::move(replay).take();
}

} // namespace loopscope
