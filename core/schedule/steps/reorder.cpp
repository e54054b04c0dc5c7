#include "schedule/steps/reorder.h"

#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const ReorderStep &step) {
    const LoopState &state = editor.state;
    if (Refused refused = checkLoops(state, "RE", step.stage)) return refused;
    const size_t count = state.stage(step.stage).iters.size();
    if (step.order.size() != count)
        return refuse("RE lists {} loops, but {} has {}: list each of them once", step.order.size(),
                      stageText(state, step.stage), count);
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
        if (newPosition[from.index()] >= 0)
            return refuse("RE lists {} twice: a new order lists each loop once", loopText(state, step.stage, from));
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
