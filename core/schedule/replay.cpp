#include "schedule/state_editor.h"
#include "schedule/steps/annotate.h"
#include "schedule/steps/cache_read.h"
#include "schedule/steps/cache_write.h"
#include "schedule/steps/compute_at.h"
#include "schedule/steps/compute_inline.h"
#include "schedule/steps/compute_root.h"
#include "schedule/steps/follow_fused_split.h"
#include "schedule/steps/follow_split.h"
#include "schedule/steps/fuse.h"
#include "schedule/steps/pragma.h"
#include "schedule/steps/reorder.h"
#include "schedule/steps/rfactor.h"
#include "schedule/steps/split.h"
#include "schedule/steps/storage_align.h"
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
