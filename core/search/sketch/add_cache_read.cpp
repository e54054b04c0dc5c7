// AddCacheRead (GPU): inputs of a tiled stage are staged through shared memory, one copy per outermost reduce tile.

#include "check.h"
#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

#include <algorithm>

namespace loopscope {

namespace {

RuleAnswer meets(const SketchContext &, const LoopState &state, StageId stage) {
    const auto readers = consumers(state, stage);
    if (readers.empty()) return {Verdict::Skip, "nobody reads it"};
    const StageId target = readers.front();
    if (!needsTiling(state, target)) return {Verdict::Skip, "its consumer is not tiled"};
    if (hasCrossThreadReduction(state, target)) return {Verdict::Skip, "its consumer reduces across threads"};
    const auto &producers = state.dag()->access(target.index()).producers;
    if (std::find(producers.begin(), producers.end(), stage.value) == producers.end())
        return {Verdict::Skip, "its consumer reads it through an inlined stage"};
    return {Verdict::ApplyAndSkipRest, "its tiles are shared by the threads of a block"};
}

/// The last reduce iterator of the outermost reduce tile: where all splittable reduce axes have been seen once.
IterId endOfOuterReduceTile(const LoopState &state, StageId stage) {
    const auto unsplit = listedNames(state, stage, "auto_scheduler_no_split_at_inner");
    size_t splittable = 0;
    for (const Axis &axis : state.stage(stage).op->reduction->axes)
        if (!unsplit.contains(std::string(axis.name()))) ++splittable;
    std::set<std::string> seen;
    const auto &iters = state.stage(stage).iters;
    for (size_t i = 0; i < iters.size(); ++i) {
        if (iters[i].kind != IterKind::Reduction) continue;
        if (splittable == 0) return IterId(i);
        for (const std::string_view name : originalIterNames(iters[i].name)) seen.emplace(name);
        if (seen.size() == splittable) return IterId(i);
    }
    failCheck("a reduce tile exists", __FILE__, __LINE__, state.stage(stage).op->name);
}

SketchResults apply(const SketchContext &, const LoopState &state, StageId stage) {
    LoopState result = state;
    int shift = 0;
    for (const StageId consumer : consumers(state, stage)) {
        result = applied(result, CacheReadStep{stage, "shared", {StageId(consumer.value + shift)}});
        ++shift;
        const StageId reader(consumer.value + shift);
        result = applied(result, ComputeAtStep{StageId(stage.value + 1), reader, endOfOuterReduceTile(result, reader)});
    }
    return {{std::move(result), stage}};
}

} // namespace

const SketchRule kAddCacheRead = {"AddCacheRead", meets, apply};

} // namespace loopscope
