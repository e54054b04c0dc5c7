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

#include <fmt/format.h>

namespace loopscope {

Refused applyInPlace(StateEditor &editor, const Step &step) {
    return std::visit([&](const auto &kind) { return applyStep(editor, kind); }, step);
}

Outcome<LoopState> replay(const DagPtr &dag, const Steps &steps) {
    LoopState state(dag);
    StateEditor editor{state};
    editor.reserveSteps(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
        if (Refused refused = applyInPlace(editor, steps[i]))
            return Refusal{fmt::format("step {}: {}", i, refused->sentence)};
        editor.record(steps[i]);
    }
    return state;
}

} // namespace loopscope
