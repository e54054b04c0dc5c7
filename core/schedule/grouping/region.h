#pragma once
// Which part of every buffer is needed to compute a box of one node: for each load the interval of each index, joined
// per buffer, followed from members of the group to what they read. Whole numbers throughout; reductions always run
// over all of their axes.

#include "schedule/grouping/pipeline.h"

#include <optional>
#include <vector>

namespace loopscope {

/// Innermost dimension first.
using Box = std::vector<Interval>;

int64_t boxPoints(std::span<const Interval> box);

/// The loops of a node that computes a box of its stage.
Box loopsFor(const PipelineNode &node, std::span<const Interval> stage);
void loopsFor(const PipelineNode &node, std::span<const Interval> stage, Box &loops);
/// What of its stage a node writes in a box of its loops.
Box writtenBy(const Pipeline &pipeline, const PipelineNode &node, std::span<const Interval> loops);
void writtenBy(const Pipeline &pipeline, const PipelineNode &node, std::span<const Interval> loops, Box &written);

/// A box for some of the buffers of a pipeline.
class Regions {
  public:
    explicit Regions(const std::vector<size_t> &offsets)
        : m_offsets(&offsets), m_known(offsets.size() - 1, false), m_intervals(offsets.back()) {}

    [[nodiscard]] bool has(BufferNumber buffer) const { return m_known[static_cast<size_t>(buffer)]; }
    [[nodiscard]] std::span<const Interval> box(BufferNumber buffer) const {
        const auto b = static_cast<size_t>(buffer);
        return {m_intervals.data() + (*m_offsets)[b], (*m_offsets)[b + 1] - (*m_offsets)[b]};
    }
    /// The smallest box around what is there and this one.
    void join(BufferNumber buffer, std::span<const Interval> box);
    void clear() { m_known.assign(m_known.size(), false); }

  private:
    const std::vector<size_t> *m_offsets; // of a buffer's first dimension
    std::vector<bool> m_known;
    std::vector<Interval> m_intervals;
};

/// What one box needs. Computed: what others read of a stage, which is what is computed of it. Allocated: that joined
/// with what the stage itself reads and writes.
struct NeededRegions {
    Regions computed;
    Regions own; // what nodes read and write of their own stage

    /// Of a buffer that is needed at all.
    [[nodiscard]] Box allocated(BufferNumber buffer) const;
    void allocated(BufferNumber buffer, Box &box) const;
};

class RegionAnalysis {
  public:
    /// `pipeline` outlives it.
    explicit RegionAnalysis(const Pipeline &pipeline);

    /// `bounds`: of the node's loops. Stages among `members` are followed, all others are only read.
    [[nodiscard]] NeededRegions needed(int node, const Box &bounds, const std::vector<bool> &members) const;
    /// In place of what is there; thousands of tiles are asked about.
    void needed(int node, const Box &bounds, const std::vector<bool> &members, NeededRegions &needed) const;
    /// What is needed of every buffer to compute all outputs. Of a stage that nobody needs there is no box.
    [[nodiscard]] Regions ofWholePipeline() const;
    [[nodiscard]] Regions none() const { return Regions(m_offsets); }

  private:
    struct Affine {
        std::vector<std::pair<size_t, int64_t>> terms; // loop, coefficient
        int64_t low = 0;
        int64_t high = 0;
    };
    struct DimensionAccess {
        std::vector<Affine> affine; // loads that differ by constants share one
        std::vector<Expr> other;
        std::optional<Interval> always; // read by an index that holds a load: within these
    };
    struct Access {
        BufferNumber buffer;
        std::vector<DimensionAccess> dimensions;
    };
    void collect(int node);
    void addLoad(int node, Expr load);
    [[nodiscard]] static Interval indexRange(const DimensionAccess &access, const Box &bounds, VarRanges ranges);

    const Pipeline &m_pipeline;
    std::vector<size_t> m_offsets;
    std::vector<std::vector<Access>> m_accesses; // per node
    std::vector<bool> m_general;                 // per node: has indices that are not affine
};

} // namespace loopscope
