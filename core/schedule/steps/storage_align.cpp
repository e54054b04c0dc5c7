#include "schedule/steps/storage_align.h"

#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

#include <limits>

namespace loopscope {

Refused applyStep(StateEditor &editor, const StorageAlignStep &step) {
    if (Refused refused = checkIter(editor.state, "SA", step.stage, step.iter)) return refused;
    const LoopState &state = editor.state;
    // A reduction loop is no dimension of the tensor, so that aligning along it moves nothing; logs align the last loop
    // of a stage whatever it is (the combining stage after RF ends with a reduction), and Ansor takes it.
    const auto canAlign = [&](const Iter &iter) {
        const bool dimension = static_cast<size_t>(iter.node) < state.stage(step.stage).op->axes.size();
        return iter.kind == IterKind::Reduction || (iter.kind == IterKind::Spatial && dimension);
    };
    if (!canAlign(state.stage(step.stage).iters[step.iter.index()]))
        return refusal(ScheduleRule::AlignsWholeAxis, "SA", state, step.stage, step.iter,
                       {loopsThat(state, step.stage, canAlign)});
    if (step.factor < 1 || step.offset < 0) {
        const auto most = static_cast<int64_t>(std::numeric_limits<int>::max());
        ScheduleRefusal range = refusal(ScheduleRule::AlignmentInRange, "SA", state, step.stage,
                                        {LegalNumbers{step.factor < 1 ? 1 : 0, most}});
        range.asked = step.factor;
        range.beside = step.offset;
        return range;
    }
    Stage &stage = editor.edit(step.stage);
    stage.storageAlignFactor = step.factor;
    stage.storageOffset = step.offset;
    stage.storageAlignIter = stage.iters[step.iter.index()].node;
    return std::nullopt;
}

} // namespace loopscope
