#include "passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyMulByOne(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const auto factor = uniformNumber(edit, edit.input(root, 1));
    const HostTensor *constant = edit.constant(edit.input(root, 1));
    bool ones = factor == 1.0;
    if (!ones && constant && !constant->isSplat() && constant->elements() <= 4096) {
        ones = constant->elements() > 0;
        for (int64_t i = 0; i < constant->elements() && ones; ++i) ones = constant->number(i) == 1;
    }
    if (!ones || !sameType(edit, edit.input(root, 0), edit.output(root))) return false;
    return edit.replace(edit.output(root), edit.input(root, 0), "it multiplies by one");
}

} // namespace

RewriteRule mulByOneRule() {
    return {.name = "mulByOne",
            .roots = {"mul"},
            .given = "x: float32[2, 3]",
            .before = "mul(x, {1.0, 1.0, 1.0})",
            .after = "x",
            .apply = applyMulByOne};
}

} // namespace loopscope
