#include "schedule/grouping/line_buffers.h"

#include <algorithm>

namespace loopscope {

namespace {

/// Of a line: shorter ones leave the last vector emptier than a tile would.
constexpr int64_t kMinVectors = 4;

/// Values by themselves, in rows of vectors: the updates of a reduction want more than one row at a time.
bool makesRows(const PipelineStage &stage, const Pipeline &pipeline) {
    if (!stage.pure()) return false;
    const PipelineNode &node = pipeline.node(stage.nodes.front());
    return !node.loopOf.empty() && node.loopOf[0] == 0;
}

} // namespace

GroupReaders::GroupReaders(GroupEvaluation &evaluation, const Group &group, const std::vector<bool> &inlined)
    : m_readers(group.holds.size()) {
    const Pipeline &pipeline = evaluation.pipeline();
    for (size_t stage = 0; stage < group.holds.size(); ++stage) {
        if (!group.holds[stage] || group.inlined[stage]) continue;
        for (const int node : pipeline.stages[stage].nodes)
            for (const auto &[buffer, bytes] : evaluation.pointCost(node, inlined).bytes) {
                if (pipeline.isInput(buffer) || buffer == static_cast<int>(stage)) continue;
                std::vector<int> &readers = m_readers[static_cast<size_t>(buffer)];
                if (readers.empty() || readers.back() != static_cast<int>(stage))
                    readers.push_back(static_cast<int>(stage));
            }
    }
}

LineBuffers lineBuffers(const GroupEvaluation &evaluation, const MachineParameters &machine, const Group &group,
                        const GroupReaders &readers, const RowNest &nest) {
    const Pipeline &pipeline = evaluation.pipeline();
    const int home = pipeline.node(nest.node).stage;
    const NeededRegions all = evaluation.neededBy(nest.node, nest.loops, group);
    LineBuffers best{-1, {}, all, 0};
    for (size_t loop = 0; loop < nest.loops.size(); ++loop) {
        if (nest.rows[loop] == 0) continue;
        const int64_t extent = nest.loops[loop].max - nest.loops[loop].min + 1;
        const int64_t rows = (extent + nest.rows[loop] - 1) / nest.rows[loop];
        if (rows < 2) continue;
        // In the middle, away from what borders hold back.
        Box row = nest.loops;
        row[loop].min += rows / 2 * nest.rows[loop];
        row[loop].max = std::min(row[loop].max, row[loop].min + nest.rows[loop] - 1);
        LineBuffers found{static_cast<int>(loop), std::vector<bool>(pipeline.stages.size(), false),
                          evaluation.neededBy(nest.node, row, group), 0};
        for (int stage = home - 1; stage >= 0; --stage) {
            const auto s = static_cast<size_t>(stage);
            if (!nest.open[s] || !makesRows(pipeline.stages[s], pipeline) || !found.row.computed.has(stage)) continue;
            if (!std::ranges::all_of(readers.of(stage), [&](int reader) {
                    return reader == home || found.stages[static_cast<size_t>(reader)];
                }))
                continue;
            const Box one = found.row.allocated(stage);
            const Box whole = all.allocated(stage);
            if (mulSaturating(boxPoints(one), rows) > boxPoints(whole)) continue; // rows share some of it
            const int lanes = lanesOf(pipeline.node(pipeline.lastNode(stage)), machine);
            if (one[0].max - one[0].min + 1 < kMinVectors * lanes) continue;
            found.stages[s] = true;
            found.spared +=
                static_cast<double>(boxPoints(whole) - boxPoints(one)) * static_cast<double>(pipeline.bytesOf(stage));
        }
        if (found.spared > best.spared) best = std::move(found);
    }
    return best;
}

} // namespace loopscope
