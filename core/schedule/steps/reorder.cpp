// RE: the loops of a stage in another order. Attached stages stay with the loop they hang on.
//
//   for i (0,4)              RE 0, order [1, 0]           for j (0,8)
//     for j (0,8)                          ->               for i (0,4)
//       A = ...                                               A = ...
//
// (Ansor leaves attachments at the old position, where its own lowering does not have them.)

#include "schedule/steps/apply_step.h"

#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

#include <algorithm>

namespace loopscope {

Refused applyStep(StateEditor &editor, const ReorderStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkLoops(state, "RE", step.stage)) return refused;
    const size_t count = state.stage(step.stage).iters.size();
    if (step.order.size() != count) {
        ScheduleRefusal other =
            refusal(ScheduleRule::OrderListsAll, "RE", state, step.stage, {allLoops(state, step.stage)});
        other.asked = static_cast<int64_t>(step.order.size());
        other.limit = static_cast<int64_t>(count);
        return other;
    }
    constexpr size_t small = 64;
    int stackBuffer[small];
    std::vector<int> heapBuffer;
    int *newPosition = stackBuffer;
    if (count > small) {
        heapBuffer.resize(count);
        newPosition = heapBuffer.data();
    }
    for (size_t i = 0; i < count; ++i) newPosition[i] = -1;
    for (size_t p = 0; p < count; ++p) {
        const IterId from = step.order[p];
        if (Refused refused = checkIter(state, "RE", step.stage, from)) return refused;
        if (newPosition[from.index()] >= 0) {
            LegalLoops missing{step.stage, {}};
            for (size_t i = 0; i < count; ++i)
                if (std::find(step.order.begin(), step.order.end(), IterId(i)) == step.order.end())
                    missing.loops.emplace_back(i);
            return refusal(ScheduleRule::OrderListsOnce, "RE", state, step.stage, from, {missing});
        }
        newPosition[from.index()] = static_cast<int>(p);
    }
    Stage &stage = editor.edit(step.stage);
    std::vector<Iter> reordered;
    reordered.reserve(stage.iters.capacity());
    for (const IterId from : step.order) reordered.push_back(std::move(stage.iters[from.index()]));
    stage.iters = std::move(reordered);
    editor.moveAttachments(step.stage, [=](int at) { return newPosition[at]; });
    return std::nullopt;
}

} // namespace loopscope
