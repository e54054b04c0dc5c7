#include "schedule/stage_facts.h"
#include "search/annotate/annotate_rule.h"

namespace loopscope {

namespace {

/// How many innermost loops could be fused into one vector loop.
int vectorisable(const AnnotateContext &context, const LoopState &state, StageId id) {
    const Stage &stage = state.stage(id);
    int count = 0;
    int64_t product = 1;
    for (size_t i = stage.iters.size(); i > 0; --i) {
        const Iter &iter = stage.iters[i - 1];
        if (state.hasAttachedAt(id, IterId(i - 1))) break;
        if (iter.kind == IterKind::Reduction || iter.kind == IterKind::Mixed || iter.annotation != Annotation::None)
            break;
        product *= iter.extent;
        if (product > context.options.maxVectorizeSize) break;
        ++count;
        if (isTiled(stage)) break; // the parts of one tile level lie apart in memory
    }
    return count;
}

Outcome<LoopState> apply(const AnnotateContext &context, LoopState state) {
    for (size_t s = 0; s < state.stageCount(); ++s) {
        const StageId id(s);
        if (state.stage(id).op->isPlaceholder() || state.stage(id).location == ComputeLocation::Inlined) continue;
        int count = vectorisable(context, state, id);
        if (count == 0) continue;
        if (count > 1) count = 1 + static_cast<int>(context.random.index(static_cast<size_t>(count) - 1));
        const auto first = static_cast<int>(state.stage(id).iters.size()) - count;
        if (count > 1) {
            FuseStep fuse{id, {}};
            for (int i = 0; i < count; ++i) fuse.iters.emplace_back(first + i);
            auto fused = state.apply(std::move(fuse));
            if (!fused) return fused;
            state = std::move(fused).value();
        }
        if (state.stage(id).iters[static_cast<size_t>(first)].extent == 1) continue;
        auto vectorised = state.apply(AnnotateStep{id, IterId(first), Annotation::Vectorize});
        if (!vectorised) return vectorised;
        state = std::move(vectorised).value();
    }
    return state;
}

} // namespace

const AnnotateRule kChooseVectorize = {"Vectorization", apply};

} // namespace loopscope
