#include "harness/bind_schedule.h"

#include "schedule/bound_inference.h"
#include "schedule/bounds/thread_scope.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

class Binder {
  public:
    Binder(LoopState state, Random &random, int64_t maxThreads)
        : m_state(std::move(state)), m_random(random), m_maxThreads(maxThreads) {}

    LoopState run() {
        for (size_t s = m_state.stageCount(); s-- > 0;) {
            const StageId id(s);
            const Stage &stage = m_state.stage(id);
            if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
            if (stage.op->reduceRank() > 0 && chance(0.4)) reduceInThreads(id);
            if (stage.location == ComputeLocation::Root)
                bindRoot(id);
            else if (chance(0.8) && scopeRank(m_state, id) == ScopeRank::Shared)
                bindShared(id);
        }
        return std::move(m_state);
    }

  private:
    int below(size_t n) { return static_cast<int>(m_random.index(n)); }
    bool chance(double p) { return m_random.uniform() < p; }

    bool attempt(const Step &step) {
        Outcome<LoopState> next = m_state.apply(step);
        if (!next || !inferBounds(*next, std::make_shared<ExprArena>())) return false;
        m_state = std::move(next).value();
        return true;
    }

    [[nodiscard]] int spatialLoops(StageId id) const {
        const auto &iters = m_state.stage(id).iters;
        const auto end = std::find_if(iters.begin(), iters.end(), [](const Iter &iter) {
            return iter.kind != IterKind::Spatial || iter.annotation != Annotation::None;
        });
        return static_cast<int>(end - iters.begin());
    }

    /// Loops `from` .. `end` as one, where they may be fused; the number of loops they are then.
    int fuse(StageId id, int from, int end) {
        FuseStep step{id, {}};
        for (int i = from; i < end; ++i) step.iters.emplace_back(i);
        return end - from > 1 && attempt(step) ? 1 : end - from;
    }

    void bindRoot(StageId id) {
        const int loops = spatialLoops(id);
        if (loops == 0 || chance(0.05)) return;
        int blocks = below(static_cast<size_t>(loops) + 1);
        int virtuals = chance(0.3) ? below(static_cast<size_t>(loops - blocks) + 1) : 0;
        int threads = std::min(loops - blocks - virtuals, 1 + below(3));
        if (chance(0.7)) threads = fuse(id, blocks + virtuals, blocks + virtuals + threads);
        virtuals = fuse(id, blocks, blocks + virtuals);
        blocks = fuse(id, 0, blocks);
        annotate(id, 0, blocks, {Annotation::BlockX, Annotation::BlockY, Annotation::BlockZ});
        if (virtuals == 1) attempt(AnnotateStep{id, IterId(blocks), Annotation::VThread});
        annotate(id, blocks + virtuals, threads, {Annotation::ThreadX, Annotation::ThreadY, Annotation::ThreadZ});
    }

    void annotate(StageId id, int from, int count, std::array<Annotation, 3> axes) {
        if (chance(0.3)) std::swap(axes[0], axes[1]);
        for (int i = 0; i < std::min(count, 3); ++i)
            if (!binds(id, axes[static_cast<size_t>(i)]))
                attempt(AnnotateStep{id, IterId(from + i), axes[static_cast<size_t>(i)]});
    }

    [[nodiscard]] bool binds(StageId id, Annotation axis) const {
        return std::ranges::any_of(m_state.stage(id).iters, [&](const Iter &iter) { return iter.annotation == axis; });
    }

    /// A part of each reduce loop, or a whole one, bound to an axis of its own.
    void reduceInThreads(StageId id) {
        std::array<Annotation, 3> axes = {Annotation::ThreadX, Annotation::ThreadY, Annotation::ThreadZ};
        if (chance(0.3)) std::swap(axes[0], axes[1]);
        size_t bound = 0;
        for (size_t i = m_state.stage(id).iters.size(); i-- > 0 && bound < axes.size();) {
            const Iter &iter = m_state.stage(id).iters[i];
            if (iter.kind != IterKind::Reduction || iter.annotation != Annotation::None || !chance(0.6)) continue;
            if (binds(id, axes.at(bound))) {
                ++bound;
                continue;
            }
            const int64_t length = chance(0.6) ? int64_t{2} << below(chance(0.2) ? 6 : 3) : 1 + below(12);
            const int at = static_cast<int>(i);
            const bool split = attempt(SplitStep{id, IterId(at), 0, {length}});
            if (attempt(AnnotateStep{id, IterId(split ? at + 1 : at), axes.at(bound)})) ++bound;
        }
    }

    void bindShared(StageId id) {
        if (fuse(id, 0, spatialLoops(id)) != 1) return;
        const auto length = static_cast<int64_t>(1 + below(static_cast<size_t>(m_maxThreads)));
        const bool vectors = chance(0.3) && attempt(SplitStep{id, IterId(0), 0, {1 + below(4)}});
        if (!attempt(SplitStep{id, IterId(0), 0, {length}})) return;
        const Annotation axis = chance(0.8) ? Annotation::ThreadX : Annotation::ThreadY;
        if (!binds(id, axis)) attempt(AnnotateStep{id, IterId(1), axis});
        if (vectors) attempt(AnnotateStep{id, IterId(2), Annotation::Vectorize});
    }

    LoopState m_state;
    Random &m_random;
    int64_t m_maxThreads;
};

} // namespace

Outcome<LoopState> boundToThreads(LoopState state, Random &random, int64_t maxThreads) {
    LoopState bound = Binder(std::move(state), random, maxThreads).run();
    const Outcome<BoundedState> bounds = inferBounds(bound, std::make_shared<ExprArena>());
    if (!bounds) return bounds.refusal();
    return bound;
}

} // namespace loopscope
