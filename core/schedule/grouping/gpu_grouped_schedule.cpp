#include "schedule/grouping/gpu_grouped_schedule.h"

#include "schedule/bound_inference.h"
#include "schedule/grouping/group_evaluation.h"
#include "schedule/grouping/stage_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

constexpr int64_t kUsualThreads = 256; // of a block

/// By stage: the shared memory that the members of its group may take.
using SharedBudgets = std::vector<int64_t>;

/// A loop between tiles and one in a tile; neither where its iterations need each other.
struct Part {
    int64_t extent = 1;
    int64_t size = 1;
    bool between = false;
    bool within = false;
};

class KernelWriter {
  public:
    KernelWriter(const Grouping &grouping, const Target &target, const SharedBudgets &budgets)
        : m_grouping(grouping), m_pipeline(grouping.pipeline),
          m_evaluation(grouping.pipeline, grouping.machine, grouping.mode), m_target(target), m_budgets(budgets),
          m_places(grouping), m_state(grouping.pipeline.dag), m_homes(grouping.pipeline.stages.size(), nullptr),
          m_threads(grouping.pipeline.stages.size(), 0) {}

    Outcome<GroupedSchedule> write() {
        for (const StageId stage : m_places.inlined()) apply(ComputeInlineStep{stage});
        std::vector<const Group *> outputs(m_pipeline.stages.size(), nullptr);
        for (const Group &group : m_grouping.groups) {
            // One nest has the initial values of a stage and its updates, and follows the tile of the updates.
            const Group *&known = outputs[stageOf(group.output)];
            if (known == nullptr || group.output > known->output) known = &group;
            for (const int member : group.members)
                if (stageOf(member) != stageOf(group.output)) m_homes[stageOf(member)] = &group;
        }
        // Readers first: a member is attached below where it is read.
        for (size_t stage = m_pipeline.stages.size(); stage-- > 0 && !m_refusal;) {
            if (m_pipeline.stages[stage].removed || m_state.stage(idOf(stage)).location == ComputeLocation::Inlined)
                continue;
            if (outputs[stage] != nullptr)
                writeOutput(stage, *outputs[stage]);
            else
                writeMember(stage);
        }
        if (m_refusal) return *m_refusal;
        return GroupedSchedule{std::move(m_state), std::move(m_notes)};
    }

  private:
    [[nodiscard]] size_t stageOf(int node) const { return static_cast<size_t>(m_pipeline.node(node).stage); }
    [[nodiscard]] StageId idOf(size_t stage) const { return StageId(m_pipeline.stages[stage].op); }
    [[nodiscard]] const std::string &nameOf(size_t stage) const { return m_pipeline.stages[stage].name; }

    void apply(Step step) {
        if (m_refusal) return;
        auto next = m_state.apply(std::move(step));
        if (next)
            m_state = std::move(next.value());
        else
            m_refusal = next.refusal();
    }

    /// Merges the loops from `first` on into one.
    void fuse(StageId id, size_t first, size_t count) {
        if (count < 2) return;
        FuseStep step{id, {}};
        for (size_t i = 0; i < count; ++i) step.iters.emplace_back(first + i);
        apply(std::move(step));
    }

    /// The loop `at` to threads of a block, of which there are `threads`; what they cannot take at once they take in
    /// turn, neighbours at the same time.
    void spread(StageId id, size_t at, int64_t threads) {
        if (m_refusal) return;
        const int64_t extent = m_state.stage(id).iters[at].extent;
        if (extent > 0 && extent <= threads) {
            apply(AnnotateStep{id, IterId(at), Annotation::ThreadX});
            return;
        }
        apply(SplitStep{id, IterId(at), extent, {threads}, true});
        apply(AnnotateStep{id, IterId(at + 1), Annotation::ThreadX});
    }

    [[nodiscard]] int64_t maxThreads() const {
        return std::min<int64_t>(kUsualThreads, m_target.hardware.maxThreadsPerBlock);
    }

    [[nodiscard]] bool isSpatial(StageId id, size_t at) const {
        return m_state.stage(id).iters[at].kind == IterKind::Spatial;
    }

    /// Merges all loops that have independent iterations into the first; false: there is none, since all of the stage
    /// is a scan or scattered.
    bool mergeSpatial(StageId id) {
        if (m_refusal) return false;
        ReorderStep order{id, {}};
        size_t spatial = 0;
        for (const bool wanted : {true, false})
            for (size_t i = 0; i < m_state.stage(id).iters.size(); ++i) {
                if (isSpatial(id, i) != wanted) continue;
                order.order.emplace_back(i);
                spatial += wanted ? 1 : 0;
            }
        if (spatial == 0) return false;
        applyOrder(std::move(order));
        fuse(id, 0, spatial);
        return !m_refusal;
    }

    void applyOrder(ReorderStep step) {
        const auto byNumber = [](IterId a, IterId b) { return a.index() < b.index(); };
        if (!std::is_sorted(step.order.begin(), step.order.end(), byNumber)) apply(std::move(step));
    }

    /// A thread for each element, or for each scan or scatter of its own.
    void writeFlat(size_t stage) {
        const StageId id = idOf(stage);
        if (!mergeSpatial(id)) return; // one thread's
        const int64_t elements = m_state.stage(id).iters[0].extent;
        spread(id, 0, maxThreads());
        if (elements > maxThreads()) apply(AnnotateStep{id, IterId(0), Annotation::BlockX});
    }

    [[nodiscard]] int64_t sharedBytes(const Group &group, const TileSizes &tile, size_t &largest) const {
        const NeededRegions needed = m_evaluation.needed(group, tile);
        int64_t all = 0;
        int64_t most = -1;
        for (const int node : group.members) {
            const size_t stage = stageOf(node);
            if (stage == stageOf(group.output) || !isMember(stage, group) ||
                node != m_pipeline.lastNode(static_cast<int>(stage)))
                continue;
            if (!needed.computed.has(static_cast<int>(stage))) continue;
            const Box box = needed.allocated(static_cast<int>(stage));
            const int64_t bytes = mulSaturating(boxPoints(box), m_pipeline.stages[stage].bytes());
            all = addSaturating(all, bytes);
            if (bytes > most) {
                most = bytes;
                largest = stage;
            }
        }
        return all;
    }

    [[nodiscard]] bool isMember(size_t stage, const Group &group) const {
        return m_homes[stage] == &group && !group.inlined[stage];
    }

    /// What a block can hold.
    TileSizes fitted(const Group &group) {
        TileSizes tile = group.tile;
        const PipelineNode &output = m_pipeline.node(group.output);
        const int64_t limit = m_target.hardware.maxSharedMemoryPerBlock;
        size_t largest = 0;
        while (sharedBytes(group, tile, largest) > m_budgets[stageOf(group.output)]) {
            size_t longest = output.loops.size();
            int64_t length = 1;
            for (size_t loop = output.reduceLoops; loop < output.loops.size(); ++loop) {
                const int64_t extent = output.loops[loop].extent;
                const int64_t size = tile[loop] == 0 ? extent : std::min(tile[loop], extent);
                if (size > length) {
                    length = size;
                    longest = loop;
                }
            }
            if (longest < output.loops.size()) {
                tile[longest] = length / 2;
                continue;
            }
            m_notes.push_back(fmt::format("{}: one element of {} needs more of it than the {} bytes of shared memory "
                                          "that a block may have; it is computed at root",
                                          nameOf(largest), m_pipeline.stageOf(group.output).name, limit));
            m_homes[largest] = nullptr;
            tile = group.tile;
        }
        if (tile != group.tile)
            m_notes.push_back(fmt::format("{}: its tiles are smaller than the grouping has them, as a block may have "
                                          "{} bytes of shared memory",
                                          m_pipeline.stageOf(group.output).name, limit));
        return tile;
    }

    void writeOutput(size_t stage, const Group &group) {
        const StageId id = idOf(stage);
        const PipelineNode &output = m_pipeline.node(group.output);
        const TileSizes tile = fitted(group);
        bool tiled = false;
        for (size_t loop = output.reduceLoops; loop < output.loops.size(); ++loop)
            tiled = tiled || (tile[loop] > 0 && tile[loop] < output.loops[loop].extent);
        if (!tiled) {
            writeFlat(stage);
            return;
        }
        std::vector<Part> parts; // by loop as the stage has them
        int64_t inTile = 1;
        for (size_t i = 0; i < m_state.stage(id).iters.size(); ++i) {
            Part &part = parts.emplace_back();
            if (!isSpatial(id, i)) continue;
            const auto axis = static_cast<size_t>(m_state.stage(id).iters[i].node);
            const auto loop = static_cast<size_t>(output.loopOf[output.loopOf.size() - 1 - axis]);
            part.extent = output.loops[loop].extent;
            part.size = tile[loop] == 0 ? part.extent : std::min(tile[loop], part.extent);
            part.between = part.size < part.extent;
            part.within = part.size > 1 || !part.between;
            inTile *= part.size;
        }
        for (size_t i = parts.size(); i-- > 0;)
            if (parts[i].between && parts[i].within)
                apply(SplitStep{id, IterId(i), parts[i].extent, {parts[i].size}, true});
        if (m_refusal) return;
        std::vector<IterId> between, within, inOrder; // last: scans and the steps of a reduction
        size_t at = 0;
        for (const Part &part : parts) {
            if (part.between) between.emplace_back(at++);
            if (part.within) within.emplace_back(at++);
            if (!part.between && !part.within) inOrder.emplace_back(at++);
        }
        ReorderStep order{id, between};
        order.order.insert(order.order.end(), within.begin(), within.end());
        order.order.insert(order.order.end(), inOrder.begin(), inOrder.end());
        applyOrder(std::move(order));
        fuse(id, 0, between.size());
        apply(AnnotateStep{id, IterId(0), Annotation::BlockX});
        m_threads[stage] = std::min(inTile, maxThreads());
        if (within.empty()) return; // one element, one thread
        fuse(id, 1, within.size());
        spread(id, 1, m_threads[stage]);
    }

    void writeMember(size_t stage) {
        const Group *home = m_homes[stage];
        const size_t target = home == nullptr ? stage : stageOf(home->output);
        std::string note;
        if (home != nullptr && m_threads[target] == 0)
            note = fmt::format("{}: its group has no tiles; it is computed at root", nameOf(stage));
        else if (home != nullptr)
            if (const std::string reader = m_places.readerOutside(stage, target); !reader.empty())
                note = noteOfReaderOutside(nameOf(stage), reader);
        if (home == nullptr || !note.empty()) {
            if (!note.empty()) m_notes.push_back(std::move(note));
            writeFlat(stage);
            return;
        }
        const StageId id = idOf(stage);
        apply(ComputeAtStep{id, idOf(target), IterId(0)});
        m_places.attach(stage, target);
        if (mergeSpatial(id)) spread(id, 0, m_threads[target]);
    }

    const Grouping &m_grouping;
    const Pipeline &m_pipeline;
    GroupEvaluation m_evaluation;
    const Target &m_target;
    const SharedBudgets &m_budgets;
    StagePlaces m_places;
    LoopState m_state;
    std::vector<const Group *> m_homes; // by stage: the group of another stage it is a member of
    std::vector<int64_t> m_threads;     // by stage: of its blocks, 0 where it has none for members
    std::vector<std::string> m_notes;
    std::optional<Refusal> m_refusal;
};

/// What the stages attached to each stage really keep, by the DAG's numbers of stages.
std::vector<int64_t> bytesAttached(const BoundedState &bounded) {
    std::vector<int64_t> bytes(bounded.state.stageCount(), 0);
    for (size_t i = 0; i < bytes.size(); ++i) {
        const StageId id(i);
        const Stage &stage = bounded.state.stage(id);
        if (stage.location != ComputeLocation::Attached) continue;
        int64_t own = 0;
        for (const Expr value : stage.op->body) own += dtypeBytes(value->dtype);
        for (size_t axis = 0; axis < stage.op->axes.size(); ++axis)
            own = mulSaturating(own, bounded.stages[i].axes[axis].extent);
        int64_t &home = bytes[bounded.state.attachedTo(id).stage.index()];
        home = addSaturating(home, own);
    }
    return bytes;
}

} // namespace

/// Regions here are those of whole tiles; where floors and clamps hide what a tile reads, bound inference knows less
/// than they do, and tiles become smaller until what it does know fits.
Outcome<GroupedSchedule> gpuGroupedSchedule(const Grouping &grouping, const Target &target) {
    const Pipeline &pipeline = grouping.pipeline;
    const int64_t limit = target.hardware.maxSharedMemoryPerBlock;
    SharedBudgets budgets(pipeline.stages.size(), limit);
    for (;;) {
        auto schedule = KernelWriter(grouping, target, budgets).write();
        if (!schedule) return schedule;
        const auto bounded = inferBounds(schedule->state, std::make_shared<ExprArena>());
        if (!bounded) return bounded.refusal();
        const std::vector<int64_t> bytes = bytesAttached(bounded.value());
        bool fits = true;
        for (size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
            if (bytes[static_cast<size_t>(pipeline.stages[stage].op)] <= limit) continue;
            fits = false;
            budgets[stage] /= 2; // 0 at last: then nothing is attached
        }
        if (fits) return schedule;
    }
}

} // namespace loopscope
