#include "schedule/tiles/kernel_tiles.h"

#include "schedule/iteration_graph.h"
#include "schedule/stage_facts.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace loopscope {

namespace {

constexpr std::array kBlockAxes = {Annotation::BlockX, Annotation::BlockY, Annotation::BlockZ};
constexpr std::array kThreadAxes = {Annotation::ThreadX, Annotation::ThreadY, Annotation::ThreadZ};

TileKind kindOf(Annotation annotation) {
    switch (annotation) {
    case Annotation::BlockX:
    case Annotation::BlockY:
    case Annotation::BlockZ:
        return TileKind::Block;
    case Annotation::VThread:
        return TileKind::VirtualThread;
    case Annotation::ThreadX:
    case Annotation::ThreadY:
    case Annotation::ThreadZ:
        return TileKind::Thread;
    case Annotation::Parallel:
        return TileKind::Parallel;
    case Annotation::Vectorize:
    case Annotation::Tensorize:
        return TileKind::Vector;
    case Annotation::None:
    case Annotation::Unroll:
        break;
    }
    return TileKind::Inner;
}

bool reduces(const Iter &iter) { return iter.kind == IterKind::Reduction || iter.kind == IterKind::Mixed; }

int64_t product(const std::vector<int64_t> &factors) {
    return std::accumulate(factors.begin(), factors.end(), int64_t{1}, std::multiplies<>());
}

/// Elements with the rows apart as storage_align has them: the stride of the aligned axis leaves `offset` when divided
/// by `factor`. Nothing follows the last one, as in Buffer::elements (codegen/loop_ir/program.h).
int64_t allocatedElements(const Stage &stage, const std::vector<int64_t> &shape) {
    int64_t stride = 1;
    int64_t last = 0;
    for (size_t axis = shape.size(); axis-- > 0;) {
        const bool aligned = stage.storageAlignFactor > 0 && stage.storageAlignIter == static_cast<int>(axis);
        if (aligned) {
            const int64_t factor = stage.storageAlignFactor;
            stride += (factor + stage.storageOffset - stride % factor) % factor;
        }
        last += (shape[axis] - 1) * stride;
        stride *= shape[axis];
    }
    return last + 1;
}

class TiledKernel {
  public:
    TiledKernel(const BoundedState &bounded, StageId root) : m_bounded(bounded), m_root(root) {}

    KernelTiles make() {
        for (size_t s = 0; s < state().stageCount(); ++s)
            if (isComputed(StageId(s)) && rootOf(state(), StageId(s)) == m_root) m_stages.emplace_back(s);
        findLaunch();
        m_kernel.output = tiled(m_root);
        double most = 0;
        for (const StageId id : m_stages) {
            if (id == m_root) continue;
            m_kernel.inside.push_back(tiled(id));
            const Stage &stage = state().stage(id);
            const double work = executions(id);
            if (std::any_of(stage.iters.begin(), stage.iters.end(), reduces) && work > most) {
                most = work;
                m_kernel.work = static_cast<int>(m_kernel.inside.size()) - 1;
            }
        }
        for (TiledStage &stage : m_kernel.inside) stage.reuse = reuseOf(stage);
        return std::move(m_kernel);
    }

  private:
    [[nodiscard]] const LoopState &state() const { return m_bounded.state; }

    [[nodiscard]] bool isComputed(StageId id) const {
        const Stage &stage = state().stage(id);
        return !stage.op->isPlaceholder() && stage.location != ComputeLocation::Inlined;
    }

    void findLaunch() {
        for (const StageId id : m_stages)
            for (const Iter &iter : state().stage(id).iters) {
                const TileKind kind = kindOf(iter.annotation);
                m_kernel.gpu = m_kernel.gpu || kind == TileKind::Block || kind == TileKind::Thread;
                for (size_t axis = 0; axis < kBlockAxes.size(); ++axis) {
                    if (iter.annotation == kBlockAxes[axis])
                        m_kernel.blocks[axis] = std::max(m_kernel.blocks[axis], iter.extent);
                    if (iter.annotation == kThreadAxes[axis])
                        m_kernel.threads[axis] = std::max(m_kernel.threads[axis], iter.extent);
                }
            }
        for (const Iter &iter : state().stage(m_root).iters)
            if (iter.annotation == Annotation::VThread) m_kernel.virtualThreads *= iter.extent;
    }

    TiledStage tiled(StageId id) {
        const Stage &stage = state().stage(id);
        const StageBounds &bounds = m_bounded.stages[id.index()];
        TiledStage out;
        out.stage = id;
        out.name = stage.op->name;
        out.type = dtypeName(stage.op->output().dtype);
        out.elementBytes = static_cast<int>(dtypeBytes(stage.op->output().dtype));
        const size_t spatial = stage.op->axes.size();
        for (size_t a = 0; a < spatial; ++a) {
            out.axes.emplace_back(axisOf(*stage.op, a).name());
            out.shape.push_back(bounds.axes[a].extent);
        }
        out.map = TileMap(stage, bounds);
        out.allocated = allocatedElements(stage, out.shape);
        addLevels(stage, out);
        addNumbers(stage, out);
        if (stage.location == ComputeLocation::Attached) {
            const AttachPoint at = state().attachedTo(id);
            out.atStage = state().stage(at.stage).op->name;
            out.atLoop = state().stage(at.stage).iters[at.iter.index()].name;
            if (m_kernel.gpu) out.memory = scopeRank(state(), id);
        }
        countRuns(id, out);
        return out;
    }

    static void addLevels(const Stage &stage, TiledStage &out) {
        const std::vector<std::set<int>> axes = axesOfLeaves(stage);
        std::set<int> covered; // axes of the level that grows
        bool open = false;
        std::vector<size_t> first; // loop that each level begins with
        for (size_t i = 0; i < stage.iters.size(); ++i) {
            const Iter &iter = stage.iters[i];
            if (reduces(iter)) {
                out.reductions.push_back({IterId(i), iter.name, iter.extent, iter.annotation});
                open = open && kindOf(iter.annotation) != TileKind::Inner;
                continue;
            }
            if (iter.kind != IterKind::Spatial || iter.extent <= 1) continue;
            const TileKind kind = kindOf(iter.annotation);
            const bool again = std::any_of(axes[i].begin(), axes[i].end(), [&](int a) { return covered.contains(a); });
            if (!open || out.levels.back().kind != kind || (kind == TileKind::Inner && again)) {
                out.levels.push_back({kind, {}, 1, {}, true, {}});
                first.push_back(i);
                covered.clear();
                open = true;
            }
            covered.insert(axes[i].begin(), axes[i].end());
            TileLevel &level = out.levels.back();
            level.loops.push_back({IterId(i), iter.name, iter.extent, iter.annotation});
            level.count *= iter.extent;
            for (auto &digit : level.number.digits) digit.second *= iter.extent;
            level.number.digits.emplace_back(iter.node, 1);
        }
        for (size_t l = 0; l < out.levels.size(); ++l) {
            const size_t last = out.levels[l].loops.back().iter.index();
            std::vector<bool> running(stage.iters.size(), false);
            int64_t runs = 1;
            for (size_t i = last + 1; i < stage.iters.size(); ++i) {
                if (stage.iters[i].kind != IterKind::Spatial) continue;
                running[i] = true;
                runs *= std::max<int64_t>(stage.iters[i].extent, 1);
            }
            out.levels[l].shape = out.map.box(running);
            out.levels[l].shape.resize(out.axes.size());
            out.levels[l].whole = runs >= product(out.levels[l].shape);
        }
    }

    void addNumbers(const Stage &stage, TiledStage &out) const {
        int64_t blockFactor = 1, threadFactor = 1, virtualFactor = 1;
        for (size_t axis = 0; axis < kBlockAxes.size(); ++axis) {
            for (const Iter &iter : stage.iters) {
                if (iter.annotation == kBlockAxes[axis]) out.block.digits.emplace_back(iter.node, blockFactor);
                if (iter.annotation == kThreadAxes[axis]) out.thread.digits.emplace_back(iter.node, threadFactor);
            }
            blockFactor *= m_kernel.blocks[axis];
            threadFactor *= m_kernel.threads[axis];
        }
        for (auto iter = stage.iters.rbegin(); iter != stage.iters.rend(); ++iter) {
            if (iter->annotation != Annotation::VThread) continue;
            out.virtualThread.digits.emplace_back(iter->node, virtualFactor);
            virtualFactor *= iter->extent;
        }
        if (!m_kernel.gpu) // what runs at once on a processor stands for the blocks
            if (const TileLevel *parallel = out.level(TileKind::Parallel)) out.block = parallel->number;
        if (const TileLevel *vector = out.level(TileKind::Vector)) out.vector = vector->count;
    }

    /// Visits the loops around a stage, from its attach point outward.
    template <typename Visit> void forLoopsAround(StageId id, const Visit &visit) const {
        while (state().stage(id).location == ComputeLocation::Attached) {
            const AttachPoint at = state().attachedTo(id);
            const Stage &outer = state().stage(at.stage);
            for (size_t i = 0; i <= at.iter.index(); ++i) visit(outer.iters[i]);
            id = at.stage;
        }
    }

    void countRuns(StageId id, TiledStage &out) const {
        forLoopsAround(id, [&](const Iter &iter) {
            const TileKind kind = kindOf(iter.annotation);
            const int64_t extent = std::max<int64_t>(iter.extent, 1);
            if (kind == TileKind::VirtualThread && out.memory == ScopeRank::Local) out.copies *= extent;
            if (kind == TileKind::Inner || kind == TileKind::Vector) out.times *= extent;
        });
        int64_t threads = 1;
        for (const Iter &iter : state().stage(id).iters)
            if (kindOf(iter.annotation) == TileKind::Thread && !reduces(iter)) threads *= iter.extent;
        const TileLevel *block = out.level(TileKind::Block);
        const int64_t together = out.elements() / std::max<int64_t>(1, block == nullptr ? 1 : block->count);
        out.perThread = (together + threads - 1) / threads * out.copies;
    }

    /// How often the statement of the stage runs in one block.
    [[nodiscard]] double executions(StageId id) const {
        double runs = 1;
        const auto count = [&](const Iter &iter) {
            if (kindOf(iter.annotation) != TileKind::Block)
                runs *= static_cast<double>(std::max<int64_t>(iter.extent, 1));
        };
        for (const Iter &iter : state().stage(id).iters) count(iter);
        forLoopsAround(id, count);
        return runs;
    }

    /// Reads in the kernel over elements written. Loops outside of both count in both.
    [[nodiscard]] double reuseOf(const TiledStage &stage) const {
        double reads = 0;
        for (const StageId reader : m_stages) {
            if (reader == stage.stage) continue;
            for (const LoadAccess &load : state().dag()->access(reader.index()).loads)
                if (load.producer == stage.stage.value) reads += executions(reader);
        }
        double written = static_cast<double>(stage.elements() * stage.times);
        if (stage.memory == ScopeRank::Local || !m_kernel.gpu) // each thread its own
            forLoopsAround(stage.stage, [&](const Iter &iter) {
                const TileKind kind = kindOf(iter.annotation);
                if (kind == TileKind::Thread || kind == TileKind::VirtualThread || kind == TileKind::Parallel)
                    written *= static_cast<double>(std::max<int64_t>(iter.extent, 1));
            });
        return written > 0 ? reads / written : 0;
    }

    const BoundedState &m_bounded;
    StageId m_root;
    std::vector<StageId> m_stages; // of the kernel
    KernelTiles m_kernel;
};

} // namespace

std::string_view tileKindName(TileKind kind) {
    switch (kind) {
    case TileKind::Block:
        return "block";
    case TileKind::VirtualThread:
        return "virtual thread";
    case TileKind::Thread:
        return "thread";
    case TileKind::Parallel:
        return "parallel";
    case TileKind::Inner:
        return "inner";
    case TileKind::Vector:
        return "vector";
    }
    return "";
}

int64_t TiledStage::elements() const { return product(shape); }

const TileLevel *TiledStage::level(TileKind kind) const {
    const auto found =
        std::find_if(levels.begin(), levels.end(), [kind](const TileLevel &level) { return level.kind == kind; });
    return found == levels.end() ? nullptr : &*found;
}

int64_t KernelTiles::sharedBytes() const {
    if (sharedAsLowered) return *sharedAsLowered;
    int64_t bytes = 0;
    for (const TiledStage &stage : inside)
        if (stage.memory == ScopeRank::Shared) bytes += stage.bytes();
    return bytes;
}

int64_t KernelTiles::localBytes() const {
    int64_t bytes = 0;
    for (const TiledStage &stage : inside)
        if (stage.memory == ScopeRank::Local) bytes += stage.bytes();
    return bytes;
}

std::vector<KernelTiles> tilesOf(const BoundedState &bounded) {
    std::vector<KernelTiles> kernels;
    for (size_t s = 0; s < bounded.state.stageCount(); ++s) {
        const Stage &stage = bounded.state.stage(StageId(s));
        if (!stage.op->isPlaceholder() && stage.location == ComputeLocation::Root)
            kernels.push_back(TiledKernel(bounded, StageId(s)).make());
    }
    return kernels;
}

} // namespace loopscope
