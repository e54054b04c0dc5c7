#include "search/naive_schedule.h"

#include "check.h"
#include "schedule/loop_state.h"
#include "schedule/stage_facts.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr int64_t kUsualThreads = 256; // of a block

} // namespace

Steps naiveSteps(const Task &task) {
    if (!task.target.isGpu()) return {};
    LoopState state(task.dag);
    const auto apply = [&state](Step step) {
        Outcome<LoopState> next = state.apply(std::move(step));
        LOOPSCOPE_CHECK(next.ok(), next.why());
        state = std::move(next).value();
    };
    for (size_t s = 0; s < state.stageCount(); ++s) {
        const StageId id(s);
        const OpPtr op = state.stage(id).op;
        if (op->isPlaceholder() || op->axes.empty()) continue; // one element is one thread's
        FuseStep fuse{id, {}};
        for (size_t axis = 0; axis < op->axes.size(); ++axis) fuse.iters.emplace_back(axis);
        if (fuse.iters.size() > 1) apply(std::move(fuse));
        const int64_t elements = spaceSize(*op).spatial;
        const int64_t threads = std::min<int64_t>(kUsualThreads, task.target.hardware.maxThreadsPerBlock);
        if (elements <= threads) {
            apply(AnnotateStep{id, IterId(0), Annotation::ThreadX});
            continue;
        }
        apply(SplitStep{id, IterId(0), elements, {threads}, true});
        apply(AnnotateStep{id, IterId(0), Annotation::BlockX});
        apply(AnnotateStep{id, IterId(1), Annotation::ThreadX});
    }
    return state.steps();
}

} // namespace loopscope
