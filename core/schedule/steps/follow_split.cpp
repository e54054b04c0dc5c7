// FSP: splits like an earlier SP did: its first n - 1 lengths, then the product of the remaining ones, inner to outer.
//
//   SP 1, iter 0, lengths [2, 4, 8];   for i (0,512)     FSP 0, iter 0, source 0, n 2      for i.0 (0,8)
//                                        A = ...                     ->                   for i.1 (0,2)
//                                                                                           for i.2 (0,32)
//                                                                                             A = ...

#include "schedule/steps/apply_step.h"

#include "language/expr/interval.h"
#include "schedule/steps/split_checks.h"
#include "schedule/steps/step_checks.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const FollowSplitStep &step) {
    if (Refused refused = checkIter(editor.state, "FSP", step.stage, step.iter)) return refused;
    const SplitStep *source = nullptr;
    if (Refused refused = findSplit(editor.state, "FSP", step.stage, step.source, source)) return refused;
    const size_t available = source->lengths.size();
    const auto parts = static_cast<size_t>(step.parts);
    if (step.parts < 1 || parts > available + 1) {
        ScheduleRefusal many = refusal(ScheduleRule::FollowedPartsExist, "FSP", editor.state, step.stage, step.iter,
                                       {LegalNumbers{1, static_cast<int64_t>(available) + 1}});
        many.asked = step.parts;
        many.follows = step.source;
        many.limit = static_cast<int64_t>(available);
        return many;
    }
    // The last length is the product of those not followed; of none left, that is 1.
    std::vector<int64_t> lengths(source->lengths.begin(), source->lengths.begin() + (step.parts - 1));
    lengths.push_back(1);
    for (size_t i = parts - 1; i < available; ++i) // 0 stays 0: open
        lengths.back() = mulSaturating(lengths.back(), source->lengths[i]);
    return splitLoop(editor, "FSP", step.stage, step.iter, lengths, true);
}

} // namespace loopscope
