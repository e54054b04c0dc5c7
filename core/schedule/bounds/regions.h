#pragma once
// The part of every stage that has to be computed: from the outputs, which are needed whole, through the loads of each
// consumer to its producers. Consumer loops inside the attach point vary over their full range, loops at or outside it
// are single points (thread-bound loops follow the memory scope, bounds/thread_scope.h).

#include "base/outcome.h"
#include "schedule/bounds/index_interval.h"
#include "schedule/bounds/thread_scope.h"

#include <optional>
#include <vector>

namespace loopscope {

class RegionInference {
  public:
    /// Fills the fields below for every compute stage that is not inlined, from the last stage to the first.
    std::optional<Refusal> run(const LoopState &state);

    struct StageRegions {
        size_t firstVariable = 0; // of its leaves, in leaf order
        size_t firstAxis = 0;     // in min, extent
        size_t firstNode = 0;     // in nodeExtent
    };
    std::vector<StageRegions> stages;
    std::vector<Form> min;           // per axis
    std::vector<int64_t> extent;     // per axis
    std::vector<int64_t> nodeExtent; // per node
    size_t variableCount = 0;
    FormPool pool;

  private:
    struct NodeSpan {
        Form low;
        Form high;
        bool full = false; // the node's whole range
        bool point = false;
    };

    void number(const LoopState &state);
    std::optional<Refusal> inferStage(StageId id);
    void wholeStage(StageId id);
    void extentsOf(StageId id);
    /// Marks the inlined stages between `id` and the stages with loops that read it through them; lists the latter.
    void findReaders(StageId id);
    std::optional<Refusal> placeReader(StageId id, StageId reader, ScopeRank scope);
    bool needsRelax(Annotation annotation, bool insideAttachPoint, ScopeRank scope) const;
    /// What each axis of the reader ranges over, seen from the attach point of `id`; into m_axisIntervals.
    void readerAxes(StageId id, StageId reader, ScopeRank scope);
    void spansUp(StageId reader);
    /// Adds what the loads of op `index` read of the wanted stage to m_wanted.
    void visitLoads(size_t index, const FormInterval *axes, size_t wanted);
    void setRegion(StageId id);

    const LoopState *m_state = nullptr;
    std::vector<char> m_relaxed;     // per variable: varies inside the attach point
    std::vector<char> m_inlinedPath; // per stage: inlined and reading the wanted stage
    std::vector<StageId> m_readers;
    std::vector<NodeSpan> m_spans;
    std::vector<FormInterval> m_axisIntervals;
    std::vector<FormInterval> m_wanted;
    std::vector<char> m_wantedSet;
    std::vector<char> m_threadBound;
    bool m_anyThreads = false;
};

} // namespace loopscope
