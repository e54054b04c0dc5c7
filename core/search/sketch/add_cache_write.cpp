// AddCacheWrite: a tiled stage that nobody can be fused behind gets a `.local` cache to accumulate in, whose copy-out
// then is the element-wise consumer to fuse with.

#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

namespace loopscope {

namespace {

RuleAnswer meetsAddCacheWrite(const SketchContext &context, const LoopState &state, StageId stage) {
    if (!needsTiling(state, stage)) return {Verdict::Skip, "it has no data reuse to tile for"};
    if (singleElementwiseConsumer(state, stage).value >= 0) return {Verdict::Skip, "its consumer can be fused instead"};
    return {context.gpu() ? Verdict::ApplyAndSkipRest : Verdict::Apply,
            "nothing can be fused behind it without a cache"};
}

SketchResults addCacheWrite(const SketchContext &, const LoopState &state, StageId stage) {
    return {{applied(state, CacheWriteStep{stage, "local"}), stage}}; // the stage number now names the cache
}

} // namespace

const SketchRule kAddCacheWrite = {"AddCacheWrite", meetsAddCacheWrite, addCacheWrite};

} // namespace loopscope
