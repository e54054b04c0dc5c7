// SA: rows of the stage's buffer start at offset + k*factor elements, k whole, along the axis of the given loop.
//
//   for i (0,4)              SA 0, iter 0, factor 32, offset 1      A storage_offset: 1
//     for j (0,8)                          ->                      for i (0,4)
//       A = ...                                                      for j (0,8)
//                                                                      A = ...

#include "schedule/steps/apply_step.h"

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
