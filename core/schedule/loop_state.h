#pragma once
// A loop state: stages with their iterators, where each is computed, and the list of steps that made it. A value:
// copying shares the stages, applying a step copies only the stages it changes. Every application returns the new state
// or a sentence naming the step, the loop, the broken rule and what would be legal.

#include "base/ids.h"
#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "schedule/stage_list.h"
#include "schedule/step.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

struct Iter {
    std::string name;
    int64_t min = 0;
    int64_t extent = 0; // 0 while the range is unknown
    IterKind kind = IterKind::Spatial;
    Annotation annotation = Annotation::None;
    /// Node of the stage's iteration graph this leaf stands for (see IterRelation).
    int node = -1;
    std::vector<std::string> originals; // names of the iterators fused into this one; set only by fuse

    [[nodiscard]] bool known() const { return extent > 0; }
};

/// How leaf iterators come from the op's axes. Nodes 0..axes-1 are the spatial axes, then the reduce axes; each split
/// or fuse appends nodes. A split of a parent into n+1 parts is n binary splits, as in a tensor expression schedule.
struct IterRelation {
    enum class Kind : uint8_t { Split, Fuse } kind = Kind::Split;
    int parent = -1; // Split: the node split; Fuse: the fused node
    int outer = -1;
    int inner = -1;
    /// Split: the given length, of the inner part (byFactor) or of the outer part (nparts). kUnfilled while open.
    int64_t length = 0;
    bool byFactor = true;
};

enum class ComputeLocation : uint8_t { Root, Inlined, Attached };

struct Stage {
    OpPtr op;
    std::vector<Iter> iters; // leaves, outermost first
    std::vector<IterRelation> relations;
    int nodeCount = 0;
    ComputeLocation location = ComputeLocation::Root;
    int autoUnrollMaxStep =
        -1; // -1: no pragma, what holds around the stage holds; 0: not unrolled whatever holds there
    int storageAlignFactor = 0; // 0 = none
    int storageOffset = 0;
    int storageAlignIter = -1; // node of the iteration graph
    std::string scope; // memory scope asked for by a cache step; empty = implied by the threads around the stage
};

struct AttachPoint {
    StageId stage;
    IterId iter;
    bool operator==(const AttachPoint &) const = default;
};

class LoopState {
  public:
    /// The naive schedule of a DAG: every stage at root, no steps.
    explicit LoopState(DagPtr dag);

    /// Applies a step and appends it to steps().
    [[nodiscard]] Outcome<LoopState> apply(Step step) const;

    [[nodiscard]] const DagPtr &dag() const { return m_dag; } // with the stages added so far
    [[nodiscard]] const DagPtr &originalDag() const { return m_original; }
    [[nodiscard]] const Steps &steps() const { return m_steps; }
    [[nodiscard]] size_t stageCount() const { return m_stages.size(); }
    [[nodiscard]] const Stage &stage(StageId id) const { return m_stages[id.index()]; }
    /// No split length is open.
    [[nodiscard]] bool concrete() const { return m_concrete; }

    /// Where a stage is attached; stage.value < 0 when it is not.
    [[nodiscard]] AttachPoint attachedTo(StageId id) const { return m_attach[id.index()]; }
    /// Stages attached at that iterator, in attach order.
    [[nodiscard]] std::vector<StageId> attachedAt(StageId stage, IterId iter) const;
    [[nodiscard]] bool hasAttachedAt(StageId stage, IterId iter) const;

    /// The text TVM prints for a State: stages as nests, two blanks a level; equal texts are equal schedules.
    [[nodiscard]] std::string text(bool deleteTrivialLoops = true) const;

    // For the files of this module (one per step kind) and for bound inference.
    [[nodiscard]] Stage &mutableStage(StageId id) { return m_stages.edit(id.index()); }
    void replaceSteps(Steps steps) { m_steps = std::move(steps); } // the search fills open lengths, then replays

  private:
    friend struct StateEditor; // schedule/state_editor.h: what step kinds may do to a state
    DagPtr m_original;
    DagPtr m_dag;
    StageList<Stage> m_stages;
    std::vector<AttachPoint> m_attach;  // per stage
    std::vector<StageId> m_attachOrder; // stages in the order they were attached
    Steps m_steps;
    bool m_concrete = true;
};

/// The text is that of LoopState::text with `minText(stage, iter)` in place of the first number of a range; used where
/// bounds know the first value only as an expression.
std::string stateText(const LoopState &state, bool deleteTrivialLoops,
                      const std::function<std::string(StageId, IterId)> &minText);

/// Applies all steps to the naive state; the refusal names the step's number (from 0), its tag and the loop.
Outcome<LoopState> replay(const DagPtr &dag, const Steps &steps);

} // namespace loopscope
