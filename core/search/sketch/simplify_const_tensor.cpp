// SimplifyConstTensor: ops that multiply by a constant matrix (Winograd transforms) unroll the matrix indices, so that
// its elements fold into the code, and tile the rest once. Where the op says so (beyond Ansor), the last of the tiled
// loops goes inside the unrolled ones, so that each of their sums is one of vectors.

#include "schedule/iteration_graph.h"
#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

namespace loopscope {

namespace {

constexpr const char *kAttribute = "auto_scheduler_simplify_const_tensor_indices";
constexpr const char *kLastInside = "vectors_inside_const_tensor_indices";

RuleAnswer meetsSimplifyConstTensor(const SketchContext &, const LoopState &state, StageId stage) {
    if (!state.stage(stage).op->attrs.contains(kAttribute)) return {Verdict::Skip, "no constant tensor indices"};
    return {Verdict::ApplyAndSkipRest, "indices of constant tensors are unrolled"};
}

SketchResults simplifyConstTensor(const SketchContext &, const LoopState &state, StageId stage) {
    const auto constant = listedNames(state, stage, kAttribute);
    LoopState result = state;
    std::vector<int> outer;
    std::vector<int> inner;
    std::vector<int> unrolled;
    int at = 0;
    for (const Iter &iter : state.stage(stage).iters) {
        if (constant.contains(iter.name)) {
            result = applied(result, AnnotateStep{stage, IterId(at), Annotation::Unroll});
            unrolled.push_back(at++);
        } else if (isScanLoop(state.stage(stage), iter)) { // goes in order, and stays one loop
            inner.push_back(at++);
        } else {
            result = applied(result, SplitStep{stage, IterId(at), iter.extent, {kUnfilled}, true});
            outer.push_back(at++);
            inner.push_back(at++);
        }
    }
    std::vector<int> vectors;
    if (state.stage(stage).op->attrs.contains(kLastInside) && !inner.empty()) {
        vectors.push_back(inner.back());
        inner.pop_back();
    }
    ReorderStep order{stage, {}};
    for (const auto *part : {&outer, &inner, &unrolled, &vectors})
        for (const int position : *part) order.order.emplace_back(position);
    return {{applied(result, std::move(order)), before(stage)}};
}

} // namespace

const SketchRule kSimplifyConstTensor = {"SimplifyConstTensor", meetsSimplifyConstTensor, simplifyConstTensor};

} // namespace loopscope
