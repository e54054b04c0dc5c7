#include "search/gpu_candidate.h"

#include "schedule/bounds/thread_scope.h"
#include "schedule/stage_facts.h"

#include <algorithm>

namespace loopscope {

namespace {

/// Elements that a buffer of the stage's region takes, rows aligned as the stage asks (allocate_buffers.cpp).
int64_t storedElements(const Stage &stage, const StageBounds &bounds) {
    int64_t stride = 1;
    for (size_t d = stage.op->axes.size(); d > 0; --d) {
        if (stage.storageAlignFactor > 1 && stage.storageAlignIter == static_cast<int>(d - 1)) {
            const int64_t misses = stage.storageOffset + stage.storageAlignFactor - stride % stage.storageAlignFactor;
            stride += misses % stage.storageAlignFactor;
        }
        stride *= bounds.axes[d - 1].extent;
    }
    return stride;
}

int64_t storedBytes(const Stage &stage, const StageBounds &bounds) {
    int64_t bytes = 0;
    for (size_t output = 0; output < stage.op->outputs.size(); ++output)
        bytes += storedElements(stage, bounds) * dtypeBytes(stage.op->outputs[output]->dtype);
    return bytes;
}

void countLoops(StageKernel &kernel, const Stage &stage) {
    KernelNeeds &needs = kernel.needs;
    for (const Iter &iter : stage.iters) {
        const auto most = [&](int64_t &known) { known = std::max(known, iter.extent); };
        switch (iter.annotation) {
        case Annotation::BlockX:
            most(needs.blocks[0]);
            break;
        case Annotation::BlockY:
            most(needs.blocks[1]);
            break;
        case Annotation::BlockZ:
            most(needs.blocks[2]);
            break;
        case Annotation::ThreadX:
            most(needs.threads[0]);
            break;
        case Annotation::ThreadY:
            most(needs.threads[1]);
            break;
        case Annotation::ThreadZ:
            most(needs.threads[2]);
            break;
        case Annotation::VThread:
            most(needs.virtuals);
            break;
        case Annotation::Vectorize:
            needs.vectorBytes = std::max(needs.vectorBytes, iter.extent * dtypeBytes(stage.op->output().dtype));
            break;
        default:
            break;
        }
        kernel.bound =
            kernel.bound || (iter.annotation >= Annotation::BlockX && iter.annotation <= Annotation::ThreadZ);
    }
}

bool addsStage(const Step &step) {
    return std::holds_alternative<CacheReadStep>(step) || std::holds_alternative<CacheWriteStep>(step) ||
           std::holds_alternative<RfactorStep>(step);
}

/// How many relations of its stage's iteration graph the step makes.
size_t relationsMade(const Step &step) {
    if (const auto *split = std::get_if<SplitStep>(&step)) return split->lengths.size();
    if (const auto *follow = std::get_if<FollowSplitStep>(&step)) return static_cast<size_t>(follow->parts);
    if (std::holds_alternative<FollowFusedSplitStep>(step)) return 1;
    if (const auto *fuse = std::get_if<FuseStep>(&step)) return fuse->iters.empty() ? 0 : fuse->iters.size() - 1;
    return 0;
}

} // namespace

std::vector<StageKernel> stageKernelsOf(const BoundedState &bounded) {
    const LoopState &state = bounded.state;
    std::vector<StageKernel> kernels;
    for (size_t s = 0; s < state.stageCount(); ++s) {
        const StageId id(s);
        const Stage &stage = state.stage(id);
        if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
        const StageId root = rootOf(state, id);
        auto kernel =
            std::find_if(kernels.begin(), kernels.end(), [&](const StageKernel &one) { return one.root == root; });
        if (kernel == kernels.end()) kernel = kernels.insert(kernels.end(), StageKernel{root, {}, false});
        countLoops(*kernel, stage);
        if (id == root) continue;
        const ScopeRank scope = scopeRank(state, id);
        // As if no two had the same bytes, which lowering knows more of (reuseSharedMemory).
        if (scope == ScopeRank::Shared) kernel->needs.sharedBytes += storedBytes(stage, bounded.stages[s]);
        if (scope == ScopeRank::Local) kernel->needs.localBytes += storedBytes(stage, bounded.stages[s]);
    }
    return kernels;
}

std::optional<Refusal> limitExceeded(const BoundedState &bounded, const Target &target) {
    for (const StageKernel &kernel : stageKernelsOf(bounded)) {
        if (!kernel.bound) continue;
        if (auto refused = exceeds(kernel.needs, target, bounded.state.stage(kernel.root).op->name)) return refused;
    }
    return std::nullopt;
}

void padRows(LoopProgram &nest, const LoopState &state) {
    for (const auto &buffer : nest.buffers) {
        if (buffer->stage.value < 0 || buffer->regionExtent.size() < 2) continue;
        const Stage &stage = state.stage(buffer->stage);
        const size_t rank = buffer->regionExtent.size();
        if (stage.storageAlignFactor < 2 || stage.storageAlignIter != static_cast<int>(rank - 2)) continue;
        int64_t &row = buffer->regionExtent[rank - 1];
        const int64_t misses = stage.storageOffset + stage.storageAlignFactor - row % stage.storageAlignFactor;
        row += misses % stage.storageAlignFactor;
    }
}

void knowLateExtents(Steps &steps, const BoundedState &bounded) {
    const LoopState &state = bounded.state;
    size_t first = 0;
    for (size_t i = 0; i < steps.size(); ++i)
        if (addsStage(steps[i])) first = i + 1;
    std::vector<size_t> next(state.stageCount()); // relation that the stage's next step makes first
    for (size_t s = 0; s < next.size(); ++s) next[s] = state.stage(StageId(s)).relations.size();
    for (size_t i = first; i < steps.size(); ++i) {
        size_t &relation = next[stageOf(steps[i]).index()];
        relation -= std::min(relation, relationsMade(steps[i]));
    }
    for (size_t i = first; i < steps.size(); ++i) {
        const StageId id = stageOf(steps[i]);
        const Stage &stage = state.stage(id);
        const size_t relation = next[id.index()];
        next[id.index()] += relationsMade(steps[i]);
        auto *split = std::get_if<SplitStep>(&steps[i]);
        if (split == nullptr || relation >= stage.relations.size()) continue;
        const auto &extents = bounded.stages[id.index()].nodeExtent;
        const int parent = stage.relations[relation].parent;
        if (parent >= 0 && static_cast<size_t>(parent) < extents.size() && extents[static_cast<size_t>(parent)] > 0)
            split->extent = extents[static_cast<size_t>(parent)];
    }
}

} // namespace loopscope
