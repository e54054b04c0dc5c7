// PackInput (beyond Ansor, on in searches on a CPU): a large input of a tiled reduction is copied tile by tile, as
// matrix libraries pack panels, as one more alternative beside reading it in place. Rows of a large input lie a power
// of two apart, so that they fight for the same cache sets and every one needs a page of its own; lowering lays the
// copy out in the order it is read. Only for inputs that vectors are loaded from: one whose rows run along the
// reduction is read an element at a time, so that few of its lines are in use at once.

#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

#include <algorithm>

namespace loopscope {

namespace {

RuleAnswer meetsPackInput(const SketchContext &context, const LoopState &state, StageId stage) {
    const Op &input = *state.stage(stage).op;
    if (!input.isPlaceholder()) return {Verdict::Skip, "it is not an input"};
    const auto &readers = state.dag()->access(stage.index()).consumers;
    if (readers.size() != 1) return {Verdict::Skip, "not exactly one stage reads it"};
    const StageId reader(readers.front());
    const Stage &target = state.stage(reader);
    if (target.location == ComputeLocation::Inlined) return {Verdict::Skip, "an inlined stage reads it"};
    if (!needsTiling(state, reader) || !isTiled(target) || !hasReduceIter(target))
        return {Verdict::Skip, "its reader is no tiled reduction"};
    if (listedNames(state, reader, "layout_free_placeholders").contains(input.name))
        return {Verdict::Skip, "its layout is free: it is packed as a whole"};
    int loads = 0;
    for (const LoadAccess &load : state.dag()->access(reader.index()).loads) {
        if (load.producer != stage.value) continue;
        ++loads;
        for (const IndexForm &index : load.indices)
            if (!index.affine || index.terms.size() > 1) return {Verdict::Skip, "its tiles overlap"};
        const int innermost = static_cast<int>(target.op->axes.size()) - 1;
        if (load.indices.empty() || load.indices.back().terms != std::vector<std::pair<int, int64_t>>{{innermost, 1}})
            return {Verdict::Skip, "its rows do not run along the innermost axis of its reader"};
    }
    if (loads != 1) return {Verdict::Skip, "its reader loads it more than once"};
    int64_t bytes = dtypeBytes(input.output().dtype);
    for (const int64_t extent : input.output().shape) bytes *= extent;
    if (2 * bytes <= context.target.l2Bytes) return {Verdict::Skip, "it stays in the second cache"};
    return {Verdict::Apply, "its tiles are copied to lie together"};
}

/// Where the copies are made is left to the annotation (see computeLocations).
SketchResults packInput(const SketchContext &, const LoopState &state, StageId stage) {
    const StageId reader(state.dag()->access(stage.index()).consumers.front());
    return {{applied(state, CacheReadStep{stage, "global", {reader}}), before(stage)}};
}

} // namespace

const SketchRule kPackInput = {"PackInput", meetsPackInput, packInput};

} // namespace loopscope
