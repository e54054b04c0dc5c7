// TileScan, beyond Ansor, which has no scans: a scan along an axis that is not the last one goes along it inside all
// others, a strip of the last axis at a time:
//
//     for c, for y (in order), for x    ->    for c, for x.0, for y (in order), for x.1
//
// The loops outside are parallel, the strip is vectors, and what the scan has just computed is still in the cache when
// the next row reads it.

#include "language/te/scan.h"
#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

namespace loopscope {

namespace {

RuleAnswer meetsTileScan(const SketchContext &, const LoopState &state, StageId stage) {
    const Op &op = *state.stage(stage).op;
    const std::optional<Scan> scan = scanOf(op);
    if (!scan) return {Verdict::Skip, "it is not a scan"};
    if (isTiled(state.stage(stage))) return {Verdict::Skip, "it is tiled"};
    if (scan->axis + 1 == op.axes.size()) return {Verdict::Skip, "it goes along its last axis, which has no strips"};
    if (op.axes.back().extent < 2) return {Verdict::Skip, "its last axis has one element"};
    return {Verdict::Apply, "its rows can be cut into strips"};
}

SketchResults tileScan(const SketchContext &, const LoopState &state, StageId stage) {
    const auto last = static_cast<int>(state.stage(stage).iters.size()) - 1;
    LoopState result =
        applied(state, SplitStep{stage, IterId(last), state.stage(stage).iters.back().extent, {kUnfilled}, true});
    ReorderStep order{stage, {}};
    for (int i = 0; i <= last; ++i)
        if (!scansAlong(*state.stage(stage).op, static_cast<size_t>(i))) order.order.emplace_back(i);
    for (int i = 0; i <= last; ++i)
        if (scansAlong(*state.stage(stage).op, static_cast<size_t>(i))) order.order.emplace_back(i);
    order.order.emplace_back(last + 1);
    return {{applied(result, std::move(order)), before(stage)}};
}

} // namespace

const SketchRule kTileScan = {"TileScan", meetsTileScan, tileScan};

} // namespace loopscope
