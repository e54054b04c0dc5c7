#include "schedule/steps/follow_split.h"

#include "expr/interval.h"
#include "schedule/steps/split_checks.h"
#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const FollowSplitStep &step) {
    if (Refused refused = checkIter(editor.state, "FSP", step.stage, step.iter)) return refused;
    const SplitStep *source = nullptr;
    if (Refused refused = findSplit(editor.state, "FSP", step.stage, step.source, source)) return refused;
    const size_t available = source->lengths.size();
    if (step.parts < 1 || static_cast<size_t>(step.parts) > available)
        return refuse("FSP splits {} into {} parts more, but step {} has {} lengths: follow 1 to {} of them",
                      loopText(editor.state, step.stage, step.iter), step.parts, step.source.value, available,
                      available);
    const auto parts = static_cast<size_t>(step.parts);
    std::vector<int64_t> lengths(source->lengths.begin(), source->lengths.begin() + step.parts);
    for (size_t i = parts; i < available; ++i) // 0 stays 0: open
        lengths.back() = mulSaturating(lengths.back(), source->lengths[i]);
    return splitLoop(editor, "FSP", step.stage, step.iter, lengths, true);
}

} // namespace loopscope
