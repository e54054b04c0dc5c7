// AddCacheRead (GPU): inputs of a tiled stage are staged through shared memory, one copy per outermost reduce tile.
// Other readers of the same input (a residual added at the end, a stage behind an inlined one) go on reading the input
// itself: there is no reduce tile to copy for.

#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

#include <algorithm>

namespace loopscope {

namespace {

/// The last reduce iterator of the outermost reduce tile, where all splittable reduce axes have been seen once; -1
/// where the stage has no such tile.
IterId endOfOuterReduceTile(const LoopState &state, StageId stage) {
    const auto &reduction = state.stage(stage).op->reduction;
    if (!reduction) return {};
    const auto unsplit = listedNames(state, stage, "auto_scheduler_no_split_at_inner");
    size_t splittable = 0;
    for (const Axis &axis : reduction->axes)
        if (!unsplit.contains(std::string(axis.name()))) ++splittable;
    std::set<std::string> seen;
    const auto &iters = state.stage(stage).iters;
    for (size_t i = 0; i < iters.size(); ++i) {
        if (iters[i].kind != IterKind::Reduction) continue;
        if (splittable == 0) return IterId(i);
        for (const std::string_view name : originalIterNames(iters[i].name)) seen.emplace(name);
        if (seen.size() == splittable) return IterId(i);
    }
    return {};
}

/// Reads the copy that a cache read makes: the first output, in loads of its own.
bool readsDirectly(const LoopState &state, StageId reader, StageId stage) {
    const auto &loads = state.dag()->access(reader.index()).loads;
    return std::any_of(loads.begin(), loads.end(),
                       [&](const LoadAccess &load) { return load.tensor == &state.stage(stage).op->output(); });
}

bool readsTiles(const LoopState &state, StageId reader, StageId stage) {
    return readsDirectly(state, reader, stage) && endOfOuterReduceTile(state, reader).value >= 0;
}

RuleAnswer meetsAddCacheRead(const SketchContext &, const LoopState &state, StageId stage) {
    const auto readers = consumers(state, stage);
    if (readers.empty()) return {Verdict::Skip, "nobody reads it"};
    const StageId target = readers.front();
    if (!needsTiling(state, target)) return {Verdict::Skip, "its consumer is not tiled"};
    if (hasCrossThreadReduction(state, target)) return {Verdict::Skip, "its consumer reduces across threads"};
    const auto &producers = state.dag()->access(target.index()).producers;
    if (std::find(producers.begin(), producers.end(), stage.value) == producers.end())
        return {Verdict::Skip, "its consumer reads it through an inlined stage"};
    if (!readsDirectly(state, target, stage)) return {Verdict::Skip, "its consumer reads its second output only"};
    if (endOfOuterReduceTile(state, target).value < 0) return {Verdict::Skip, "its consumer has no reduce tile"};
    return {Verdict::ApplyAndSkipRest, "its tiles are shared by the threads of a block"};
}

SketchResults addCacheRead(const SketchContext &, const LoopState &state, StageId stage) {
    LoopState result = state;
    int shift = 0;
    for (const StageId consumer : consumers(state, stage)) {
        if (!readsTiles(state, consumer, stage)) continue;
        result = applied(result, CacheReadStep{stage, "shared", {StageId(consumer.value + shift)}});
        ++shift;
        const StageId reader(consumer.value + shift);
        result = applied(result, ComputeAtStep{StageId(stage.value + 1), reader, endOfOuterReduceTile(result, reader)});
    }
    return {{std::move(result), stage}};
}

} // namespace

const SketchRule kAddCacheRead = {"AddCacheRead", meetsAddCacheRead, addCacheRead};

} // namespace loopscope
