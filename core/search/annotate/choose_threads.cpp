// ThreadBind (GPU): which loops are blocks, virtual threads and threads. A tiled nest has them as its three outermost
// tile levels; what is copied to shared memory for a block is fetched by all its threads together; a reduction across
// threads already has its threads and gets blocks; everything else is cut into blocks of some warps.

#include "schedule/script/script_words.h"
#include "schedule/stage_facts.h"
#include "search/annotate/annotate_rule.h"
#include "search/annotate/gpu_lengths.h"
#include "search/sketch/sketch_facts.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

bool isBound(const Stage &stage) {
    return std::any_of(stage.iters.begin(), stage.iters.end(), [](const Iter &iter) {
        return iter.annotation >= Annotation::VThread && iter.annotation <= Annotation::ThreadZ;
    });
}

bool hasThreads(const Stage &stage) {
    return std::any_of(stage.iters.begin(), stage.iters.end(),
                       [](const Iter &iter) { return iter.annotation == Annotation::ThreadX; });
}

/// A state that steps are applied to until one is refused.
class Binder {
  public:
    Binder(const AnnotateContext &context, LoopState state) : m_context(context), m_result(std::move(state)) {}

    Outcome<LoopState> run() {
        const std::vector<bool> tiled = tiledRoots();
        for (size_t s = state().stageCount(); s > 0 && m_result.ok(); --s) {
            const StageId id(s - 1);
            const Stage &stage = state().stage(id);
            if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
            if (m_context.onlyOpen && isBound(stage) && !hasCrossThreadReduction(state(), id)) continue;
            m_constraint = constraintOf(m_context, state(), id);
            if (m_constraint != nullptr && m_constraint->closed && !m_constraint->binds) continue;
            bind(id, tiled[id.index()]);
        }
        return std::move(m_result);
    }

  private:
    [[nodiscard]] const LoopState &state() const { return m_result.value(); }
    [[nodiscard]] const Stage &stage(StageId id) const { return state().stage(id); }

    void apply(Step step) {
        if (m_result.ok()) m_result = state().apply(std::move(step));
    }
    void refuse(std::string why) {
        if (m_result.ok()) m_result = Refusal{std::move(why)};
    }
    void bindLoop(StageId id, int iter, Annotation annotation) { apply(AnnotateStep{id, IterId(iter), annotation}); }

    /// Stages at root whose outer tile levels are blocks, virtual threads and threads: a tiled stage is computed inside
    /// them, or is one of them.
    [[nodiscard]] std::vector<bool> tiledRoots() const {
        std::vector<bool> tiled(state().stageCount());
        for (size_t s = 0; s < state().stageCount(); ++s) {
            const StageId id(s);
            if (!needsTiling(state(), id) || hasCrossThreadReduction(state(), id)) continue;
            if (stage(id).location == ComputeLocation::Attached) tiled[state().attachedTo(id).stage.index()] = true;
            const bool alone = stage(id).location == ComputeLocation::Root && isTiled(stage(id)) &&
                               stage(id).iters.front().name.ends_with(".0");
            if (alone) tiled[s] = true;
        }
        return tiled;
    }

    void bind(StageId id, bool tiled) {
        const bool atRoot = stage(id).location == ComputeLocation::Root;
        if (hasCrossThreadReduction(state(), id)) {
            if (!atRoot || isBlocks(id)) return;
            const int blocks = fuseLeading(id);
            if (m_result.ok()) bindLoop(id, blocks, Annotation::BlockX);
            return;
        }
        if (hasThreads(stage(id))) return;
        if (atRoot && tiled)
            bindTiles(id);
        else if (atRoot)
            bindRows(id);
        else if (stage(id).op->name.ends_with(".shared"))
            bindFetch(id);
    }

    [[nodiscard]] bool isBlocks(StageId id) const {
        return std::any_of(stage(id).iters.begin(), stage(id).iters.end(),
                           [](const Iter &iter) { return iter.annotation == Annotation::BlockX; });
    }

    /// Makes one loop of the outermost ones that do not reduce, have no annotation and hold no stage before the last.
    int fuseLeading(StageId id) {
        FuseStep fuse{id, {}};
        const auto &iters = stage(id).iters;
        for (size_t i = 0; i < iters.size(); ++i) {
            if (iters[i].kind == IterKind::Reduction || iters[i].annotation != Annotation::None) break;
            if (i > 0 && state().hasAttachedAt(id, IterId(i - 1))) break;
            fuse.iters.emplace_back(i);
        }
        if (fuse.iters.size() != 1) apply(std::move(fuse));
        return 0;
    }

    /// Makes one loop of those of a tile level, and binds it. At most as many as the op has axes.
    int64_t bindLevel(StageId id, int from, std::string_view suffix, Annotation annotation) {
        FuseStep fuse{id, {}};
        const auto &iters = stage(id).iters;
        const size_t end = std::min(iters.size(), static_cast<size_t>(from) + stage(id).op->axes.size());
        for (auto i = static_cast<size_t>(from); i < end && iters[i].name.ends_with(suffix); ++i)
            fuse.iters.emplace_back(i);
        apply(std::move(fuse));
        if (!m_result.ok()) return 1;
        const int64_t extent = stage(id).iters[static_cast<size_t>(from)].extent;
        bindLoop(id, from, annotation);
        return extent;
    }

    void bindTiles(StageId id) {
        const HardwareParams &hardware = m_context.target.hardware;
        const SpaceSize space = spaceSize(*stage(id).op);
        bindLevel(id, 0, ".0", Annotation::BlockX);
        if (!m_result.ok()) return;
        const int64_t virtuals = bindLevel(id, 1, ".1", Annotation::VThread);
        if (!m_result.ok()) return;
        if (virtuals > hardware.maxVthreadExtent)
            return refuse(fmt::format("{} has {} virtual threads, of which the target's limit is {}",
                                      stage(id).op->name, virtuals, hardware.maxVthreadExtent));
        const int64_t threads = bindLevel(id, 2, ".2", Annotation::ThreadX);
        if (!m_result.ok()) return;
        // With fewer results than a warp has threads there are no larger blocks.
        const bool small =
            space.spatial < hardware.warpSize || space.spatial * space.reduce <= int64_t{2} * hardware.warpSize;
        if (threads < hardware.warpSize && !small)
            return refuse(fmt::format("{} has blocks of {} threads, fewer than a warp of {}", stage(id).op->name,
                                      threads, hardware.warpSize));
        if (threads > hardware.maxThreadsPerBlock)
            refuse(fmt::format("{} has blocks of {} threads, of which the target's limit is {}", stage(id).op->name,
                               threads, hardware.maxThreadsPerBlock));
    }

    void bindRows(StageId id) {
        // A scan may go along its first axis; then the loops of the others come before it.
        if (!stage(id).iters.empty() && stage(id).iters.front().kind == IterKind::Reduction)
            if (auto order = spatialLoopsOutside(state(), id)) apply(*std::move(order));
        const int loop = fuseLeading(id);
        if (!m_result.ok()) return;
        const Iter &fused = stage(id).iters[static_cast<size_t>(loop)];
        const std::vector<int64_t> *constraint =
            m_constraint != nullptr ? m_constraint->lengthsOf(scriptName(fused.name)) : nullptr;
        if (fused.extent <= m_context.target.hardware.warpSize && constraint == nullptr)
            return bindLoop(id, loop, Annotation::ThreadX);
        const int64_t threads = constraint != nullptr && constraint->size() == 2 && constraint->back() > 0
                                    ? constraint->back()
                                    : drawThreads(fused.extent, m_context.target, m_context.options, m_context.random);
        apply(SplitStep{id, IterId(loop), fused.extent, {threads}, true});
        bindLoop(id, loop, Annotation::BlockX);
        bindLoop(id, loop + 1, Annotation::ThreadX);
    }

    /// Numbers of the spatial splits of the stage, last first.
    [[nodiscard]] std::vector<StepId> spatialSplits(StageId id) const {
        const auto unsplit = listedNames(state(), id, "auto_scheduler_no_split_at_inner");
        const auto &reduction = stage(id).op->reduction;
        size_t reduceSplits = 0;
        if (reduction)
            for (const Axis &axis : reduction->axes)
                if (!unsplit.contains(std::string(axis.name()))) ++reduceSplits;
        std::vector<StepId> splits = splitStepsOf(state(), id); // those of reduce loops come last
        splits.erase(splits.begin(), splits.begin() + static_cast<ptrdiff_t>(std::min(reduceSplits, splits.size())));
        return splits;
    }

    /// The threads of the kernel fetch a tile together, each some elements that lie side by side.
    void bindFetch(StageId id) {
        if (m_context.onlyOpen && isTiled(stage(id))) return; // somebody has made loops of it
        knowTiles(id);
        if (!m_result.ok()) return;
        const StageId reader = state().attachedTo(id).stage;
        const std::vector<StepId> sources = spatialSplits(reader);
        const int64_t run = stage(id).iters.empty() ? 1 : stage(id).iters.back().extent;
        if (m_constraint == nullptr || !m_constraint->closed)
            if (const auto align = drawAlignment(state(), id, m_context.target, m_context.options, m_context.random))
                apply(*align);
        if (!m_result.ok()) return;
        FuseStep fuse{id, {}};
        for (size_t i = 0; i < stage(id).iters.size(); ++i) fuse.iters.emplace_back(i);
        apply(std::move(fuse));
        if (!m_result.ok()) return;
        const Iter &fused = stage(id).iters.front();
        const std::vector<int64_t> *constraint =
            m_constraint != nullptr ? m_constraint->lengthsOf(scriptName(fused.name)) : nullptr;
        const int64_t vector = constraint != nullptr && constraint->size() == 2 && constraint->back() > 0
                                   ? constraint->back()
                                   : drawFetchVector(run, stage(id).op->output().dtype, m_context.target,
                                                     m_context.options, m_context.random);
        apply(SplitStep{id, IterId(0), fused.extent, {vector}, true});
        bindLoop(id, 1, Annotation::Vectorize);
        const bool follows = !sources.empty() && std::all_of(sources.begin(), sources.end(), [&](StepId source) {
            const auto *split = std::get_if<SplitStep>(&state().steps()[source.index()]);
            return split != nullptr && split->lengths.size() > 1;
        });
        if (!m_result.ok()) return;
        if (follows)
            apply(FollowFusedSplitStep{id, IterId(0), sources, 1, true});
        else // in a nest that no sketch made
            apply(SplitStep{id, IterId(0), 0, {threadsAround(id)}, true});
        bindLoop(id, 1, Annotation::ThreadX);
    }

    /// What a block fetches is known once its threads are: ranges are inferred anew. Ansor's are those of one thread.
    void knowTiles(StageId id) {
        const StageId root = rootOf(state(), id);
        if (root == m_known) return;
        m_known = root;
        m_result = boundedState(state(), m_context.scratch);
    }

    [[nodiscard]] int64_t threadsAround(StageId id) const {
        for (StageId at = id; at.value >= 0; at = state().attachedTo(at).stage)
            for (const Iter &iter : stage(at).iters)
                if (iter.annotation == Annotation::ThreadX && iter.known()) return iter.extent;
        return m_context.target.hardware.warpSize;
    }

    const AnnotateContext &m_context;
    Outcome<LoopState> m_result;
    const StageConstraint *m_constraint = nullptr;
    StageId m_known; // root of the kernel whose tiles are known
};

Outcome<LoopState> chooseThreads(const AnnotateContext &context, LoopState state) {
    return Binder(context, std::move(state)).run();
}

} // namespace

const AnnotateRule kChooseThreads = {"ThreadBind", chooseThreads};

} // namespace loopscope
