// PR: `auto_unroll_max_step$N` lets loop nests of the stage with at most N steps be unrolled; `debug_skip_region` takes
// the stage out of the loop it is attached at (such a state has no bounds).
//
//   for i (0,4)              PR 0, iter 0, auto_unroll_max_step$16      A auto_unroll: 16
//     A = ...                              ->                          for i (0,4)
//                                                                        A = ...
//
// The iterator number is recorded and otherwise without effect.

#include "schedule/steps/apply_step.h"

#include "schedule/steps/step_checks.h"

#include <charconv>

namespace loopscope {

Refused applyStep(StateEditor &editor, const PragmaStep &step) {
    if (Refused refused = checkLoops(editor.state, "PR", step.stage)) return refused;
    constexpr std::string_view unroll = "auto_unroll_max_step$";
    const std::string_view text = step.text;
    if (text == "debug_skip_region") {
        editor.detach(step.stage);
        return std::nullopt;
    }
    int limit = 0;
    if (text.starts_with(unroll)) {
        const std::string_view digits = text.substr(unroll.size());
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), limit);
        if (error == std::errc() && end == digits.data() + digits.size() && limit >= 0) {
            if (editor.state.stage(step.stage).autoUnrollMaxStep != limit)
                editor.edit(step.stage).autoUnrollMaxStep = limit;
            return std::nullopt;
        }
    }
    ScheduleRefusal unknown =
        refusal(ScheduleRule::PragmaKnown, "PR", editor.state, step.stage,
                {LegalWords{{"auto_unroll_max_step$0", "auto_unroll_max_step$16", "auto_unroll_max_step$64",
                             "auto_unroll_max_step$512", "debug_skip_region"}}});
    unknown.word = step.text;
    return unknown;
}

} // namespace loopscope
