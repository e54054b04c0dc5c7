#include "search/moves/offered_moves.h"

#include "schedule/bound_inference.h"
#include "schedule/bounds/thread_scope.h"
#include "schedule/stage_facts.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace loopscope {

namespace {

constexpr int64_t kLongestOffered = 512; // inner length of a split
constexpr int kUnrollLimits[] = {0, 16, 64, 512};
constexpr std::array kProcessorScopes = {"global"};
constexpr std::array kGpuScopes = {"shared", "local"};
constexpr Annotation kThreads[] = {Annotation::BlockX,  Annotation::BlockY,  Annotation::BlockZ, Annotation::ThreadX,
                                   Annotation::ThreadY, Annotation::ThreadZ, Annotation::VThread};

/// The state with the ranges that its bounds give; as it is where splits are open.
Outcome<LoopState> withRanges(const LoopState &state) {
    if (!state.concrete()) return state;
    auto bounded = inferBounds(state, std::make_shared<ExprArena>());
    if (!bounded) return bounded.refusal();
    return std::move(bounded->state);
}

class StageMoves {
  public:
    StageMoves(const LoopState &state, const Target &target, StageId id, std::vector<Step> &out)
        : m_state(state), m_target(target), m_id(id), m_stage(state.stage(id)), m_out(out) {}

    void offer() {
        if (m_stage.op->isPlaceholder()) {
            cacheReads();
            return;
        }
        if (m_stage.location != ComputeLocation::Inlined) {
            for (size_t i = 0; i < m_stage.iters.size(); ++i) ofLoop(IterId(i));
            reorders();
            add(CacheWriteStep{m_id, "local"});
            cacheReads();
        }
        places();
    }

  private:
    /// What does not apply is not offered; reorders and annotations cannot make bounds vanish, all others may.
    void add(Step step) {
        if (makeMove(m_state, step)) m_out.push_back(std::move(step));
    }

    void ofLoop(IterId loop) {
        const Iter &iter = m_stage.iters[loop.index()];
        for (int64_t length = 2; length <= std::min(kLongestOffered, iter.extent / 2); ++length)
            if (iter.extent % length == 0) add(SplitStep{m_id, loop, iter.extent, {length}, true});
        follows(loop);
        if (loop.index() + 1 < m_stage.iters.size()) add(FuseStep{m_id, {loop, IterId(loop.index() + 1)}});
        if (iter.annotation == Annotation::None && iter.extent != 1) annotations(loop);
        if (loop.value == 0)
            for (const int limit : kUnrollLimits)
                if (limit != m_stage.autoUnrollMaxStep)
                    add(PragmaStep{m_id, loop, "auto_unroll_max_step$" + std::to_string(limit)});
        if (iter.kind == IterKind::Reduction) {
            const int last = static_cast<int>(m_stage.op->axes.size());
            add(RfactorStep{m_id, loop, last});
            if (last > 0) add(RfactorStep{m_id, loop, 0});
        }
        // Rows of a buffer are moved apart by aligning what lies around the last axis; an output lies as it is asked
        // for.
        if (iter.kind == IterKind::Spatial && m_stage.op->axes.size() > 1 && m_stage.storageAlignFactor == 0 &&
            iter.name != m_stage.op->axes.back().name() && !m_state.dag()->access(m_id.index()).isOutput)
            add(StorageAlignStep{m_id, loop, 32, 8});
    }

    /// Splits of loops as long as this one.
    void follows(IterId loop) {
        const Steps &steps = m_state.steps();
        for (size_t i = 0; i < steps.size(); ++i) {
            const auto *split = std::get_if<SplitStep>(&steps[i]);
            if (split == nullptr || split->stage == m_id || split->extent != m_stage.iters[loop.index()].extent)
                continue;
            for (size_t parts = 1; parts <= split->lengths.size(); ++parts)
                add(FollowSplitStep{m_id, loop, StepId(i), static_cast<int>(parts)});
        }
        if (m_target.isGpu() && m_stage.location == ComputeLocation::Attached &&
            scopeRank(m_state, m_id) == ScopeRank::Shared)
            followThreads(loop);
    }

    /// What is fetched by a block, by as many threads as the tiles of its consumer have: their third level, as the
    /// search tiles for GPUs (block, virtual thread, thread, two levels of a thread).
    void followThreads(IterId loop) {
        if (m_stage.iters[loop.index()].kind != IterKind::Spatial) return;
        constexpr size_t kGpuLengths = 4;
        FollowFusedSplitStep step{m_id, loop, {}, 1, true};
        const Steps &steps = m_state.steps();
        for (size_t i = 0; i < steps.size(); ++i) {
            const auto *split = std::get_if<SplitStep>(&steps[i]);
            if (split != nullptr && split->lengths.size() == kGpuLengths) step.sources.emplace_back(i);
        }
        if (!step.sources.empty()) add(std::move(step));
    }

    void annotations(IterId loop) {
        if (m_target.isGpu()) {
            for (const Annotation thread : kThreads)
                if (bindable(loop, thread)) add(AnnotateStep{m_id, loop, thread});
        } else {
            add(AnnotateStep{m_id, loop, Annotation::Parallel});
        }
        if (loop.index() + 1 == m_stage.iters.size()) add(AnnotateStep{m_id, loop, Annotation::Vectorize});
        add(AnnotateStep{m_id, loop, Annotation::Unroll});
    }

    /// An axis runs one loop of a stage, and a block has only so many threads. Of a reduction the threads of a block
    /// may each do a part.
    [[nodiscard]] bool bindable(IterId loop, Annotation thread) const {
        const IterKind kind = m_stage.iters[loop.index()].kind;
        const bool sharesSum =
            kind == IterKind::Reduction &&
            (thread == Annotation::ThreadX || thread == Annotation::ThreadY || thread == Annotation::ThreadZ);
        if (kind != IterKind::Spatial && !sharesSum) return false;
        if (thread == Annotation::VThread)
            return kind == IterKind::Spatial &&
                   (m_target.hardware.maxVthreadExtent <= 0 ||
                    m_stage.iters[loop.index()].extent <= m_target.hardware.maxVthreadExtent);
        const bool attached = m_stage.location == ComputeLocation::Attached;
        if (attached && threadRank(thread) == 0) return false;
        if (attached && kind == IterKind::Spatial && scopeRank(m_state, m_id) == ScopeRank::Local) return false;
        const auto isThread = [](Annotation one) {
            return one == Annotation::ThreadX || one == Annotation::ThreadY || one == Annotation::ThreadZ;
        };
        int64_t threads = m_stage.iters[loop.index()].extent;
        for (const Iter &other : m_stage.iters) {
            if (other.annotation == thread) return false;
            if (isThread(other.annotation)) threads *= std::max<int64_t>(other.extent, 1);
        }
        return !isThread(thread) || m_target.hardware.maxThreadsPerBlock <= 0 ||
               threads <= m_target.hardware.maxThreadsPerBlock;
    }

    /// Every loop to every other place.
    void reorders() {
        const size_t count = m_stage.iters.size();
        for (size_t from = 0; from < count; ++from)
            for (size_t to = 0; to < count; ++to) {
                if (to == from || to + 1 == from) continue; // the neighbour's own move to here is the same
                ReorderStep step{m_id, {}};
                for (size_t i = 0; i < count; ++i)
                    if (i != from) step.order.emplace_back(i);
                step.order.insert(step.order.begin() + static_cast<ptrdiff_t>(to), IterId(from));
                add(std::move(step));
            }
    }

    void cacheReads() {
        const std::span<const char *const> scopes = m_target.isGpu() ? std::span<const char *const>(kGpuScopes)
                                                                     : std::span<const char *const>(kProcessorScopes);
        for (const StageId reader : consumers(m_state, m_id))
            for (const char *scope : scopes) add(CacheReadStep{m_id, scope, {reader}});
    }

    void places() {
        if (m_stage.location != ComputeLocation::Root) add(ComputeRootStep{m_id});
        if (m_stage.location != ComputeLocation::Inlined) add(ComputeInlineStep{m_id});
        for (size_t s = 0; s < m_state.stageCount(); ++s) {
            const Stage &target = m_state.stage(StageId(s));
            if (target.op->isPlaceholder() || target.location == ComputeLocation::Inlined) continue;
            for (size_t i = 0; i < target.iters.size(); ++i) {
                const AttachPoint here{StageId(s), IterId(i)};
                if (m_stage.location == ComputeLocation::Attached && m_state.attachedTo(m_id) == here) continue;
                add(ComputeAtStep{m_id, here.stage, here.iter});
            }
        }
    }

    const LoopState &m_state;
    const Target &m_target;
    StageId m_id;
    const Stage &m_stage;
    std::vector<Step> &m_out;
};

} // namespace

Outcome<LoopState> makeMove(const LoopState &state, const Step &step) {
    auto next = state.apply(step);
    if (!next) return next;
    if (const auto ranged = withRanges(*next); !ranged) return ranged.refusal();
    return next;
}

std::vector<Step> offeredMoves(const LoopState &state, const Target &target, std::optional<StageId> of) {
    std::vector<Step> moves;
    const auto ranged = withRanges(state);
    const LoopState &from = ranged ? *ranged : state;
    for (size_t s = 0; s < from.stageCount(); ++s)
        if (!of || of->index() == s) StageMoves(from, target, StageId(s), moves).offer();
    return moves;
}

} // namespace loopscope
