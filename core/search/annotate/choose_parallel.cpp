#include "schedule/script/script_words.h"
#include "search/annotate/annotate_rule.h"

namespace loopscope {

namespace {

/// The outermost loops whose fusion is called so; none where there are no such loops.
std::vector<IterId> leadingCalled(const LoopState &state, StageId id, const std::string &name) {
    const auto &iters = state.stage(id).iters;
    std::vector<IterId> leading;
    std::string fused;
    for (size_t i = 0; i < iters.size(); ++i) {
        if (iters[i].kind == IterKind::Reduction || iters[i].annotation != Annotation::None) break;
        leading.emplace_back(i);
        fused += iters[i].name + "@";
        if (scriptName(i == 0 ? iters[i].name : fused) == name) return leading;
        if (state.hasAttachedAt(id, IterId(i))) break;
    }
    return {};
}

bool hasParallelLoop(const LoopState &state, StageId id) {
    const auto &iters = state.stage(id).iters;
    for (size_t i = 0; i < iters.size(); ++i) {
        if (iters[i].annotation == Annotation::Parallel) return true;
        for (const StageId attached : state.attachedAt(id, IterId(i)))
            if (hasParallelLoop(state, attached)) return true;
    }
    return false;
}

/// Fuses them into one parallel loop.
Outcome<LoopState> parallelOver(LoopState state, StageId id, const std::vector<IterId> &leading) {
    if (leading.size() > 1) {
        auto fused = state.apply(FuseStep{id, leading});
        if (!fused) return fused;
        state = std::move(fused).value();
    }
    return state.apply(AnnotateStep{id, leading.front(), Annotation::Parallel});
}

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
    return parallelOver(std::move(state), id, leading);
}

Outcome<LoopState> chooseParallel(const AnnotateContext &context, LoopState state) {
    for (size_t s = 0; s < state.stageCount(); ++s) {
        const Stage &stage = state.stage(StageId(s));
        if (stage.op->isPlaceholder() || stage.location != ComputeLocation::Root) continue;
        if (context.onlyOpen && hasParallelLoop(state, StageId(s))) continue;
        const StageConstraint *constraint = constraintOf(context, state, StageId(s));
        if (constraint != nullptr && constraint->closed && !constraint->parallel) continue;
        std::vector<IterId> constrainedLoops;
        if (constraint != nullptr && constraint->parallel) {
            constrainedLoops = leadingCalled(state, StageId(s), *constraint->parallel);
            if (constrainedLoops.empty())
                return Refusal{"a lock wants the loop " + *constraint->parallel +
                               " parallel, which cannot be made here"};
        }
        auto result = constrainedLoops.empty() ? parallelise(context, std::move(state), StageId(s), 0)
                                               : parallelOver(std::move(state), StageId(s), constrainedLoops);
        if (!result) return result;
        state = std::move(result).value();
    }
    return state;
}

} // namespace

const AnnotateRule kChooseParallel = {"Parallel", chooseParallel};

} // namespace loopscope
