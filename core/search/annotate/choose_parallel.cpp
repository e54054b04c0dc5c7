#include "search/annotate/annotate_rule.h"

namespace loopscope {

namespace {

/// Annotates the outermost loops of a stage that are parallel enough, or goes into the stages attached there.
Outcome<LoopState> parallelise(const AnnotateContext &context, LoopState state, StageId id, size_t from) {
    std::vector<IterId> leading;
    int64_t product = 1;
    size_t i = from;
    bool attachedHere = false;
    for (; i < state.stage(id).iters.size(); ++i) {
        const Iter &iter = state.stage(id).iters[i];
        if (iter.kind == IterKind::Reduction || iter.annotation != Annotation::None) break;
        leading.emplace_back(i);
        product *= iter.extent;
        if (product > 16 * static_cast<int64_t>(context.target.hardware.numCores)) break;
        if (state.hasAttachedAt(id, IterId(i))) {
            attachedHere = true;
            break;
        }
    }
    if (product == 1 && attachedHere) {
        for (const StageId attached : state.attachedAt(id, IterId(i))) {
            auto inner = parallelise(context, std::move(state), attached, 0);
            if (!inner) return inner;
            state = std::move(inner).value();
        }
        return parallelise(context, std::move(state), id, i + 1);
    }
    if (leading.empty()) return state;
    if (product == 1) return state; // a loop of one iteration is not worth a thread pool
    const IterId first = leading.front();
    if (leading.size() > 1) {
        auto fused = state.apply(FuseStep{id, leading});
        if (!fused) return fused;
        state = std::move(fused).value();
    }
    return state.apply(AnnotateStep{id, first, Annotation::Parallel});
}

Outcome<LoopState> apply(const AnnotateContext &context, LoopState state) {
    for (size_t s = 0; s < state.stageCount(); ++s) {
        const Stage &stage = state.stage(StageId(s));
        if (stage.op->isPlaceholder() || stage.location != ComputeLocation::Root) continue;
        auto result = parallelise(context, std::move(state), StageId(s), 0);
        if (!result) return result;
        state = std::move(result).value();
    }
    return state;
}

} // namespace

const AnnotateRule kChooseParallel = {"Parallel", apply};

} // namespace loopscope
