#include "search/naive_schedule.h"

#include "base/check.h"
#include "schedule/loop_state.h"
#include "schedule/stage_facts.h"
#include "search/sketch/sketch_facts.h"

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
        // Along the axis of a scan, or one that terms are scattered over, there are no threads.
        if (auto order = spatialLoopsOutside(state, id)) apply(*std::move(order));
        FuseStep fuse{id, {}};
        int64_t elements = 1;
        for (size_t i = 0; i < state.stage(id).iters.size(); ++i) {
            const Iter &iter = state.stage(id).iters[i];
            if (iter.kind != IterKind::Spatial) break;
            fuse.iters.emplace_back(i);
            elements *= iter.extent;
        }
        if (fuse.iters.empty()) continue; // one thread's
        if (fuse.iters.size() > 1) apply(std::move(fuse));
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
