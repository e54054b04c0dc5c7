#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyMulByReciprocal(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    for (size_t side = 0; side < 2; ++side) {
        const ValueId inverse = edit.input(root, 1 - side);
        const NodeId reciprocal = madeBy(edit, inverse, "reciprocal");
        if (reciprocal.value < 0 || !hasOneUse(edit, inverse)) continue;
        return edit.replace(edit.output(root),
                            edit.add(root, "div", {edit.input(root, side), edit.input(reciprocal, 0)}),
                            "it is divided instead of multiplied by an inverse");
    }
    return false;
}

} // namespace

RewriteRule mulByReciprocalRule() {
    return {.name = "mulByReciprocal",
            .roots = {"mul"},
            .given = "x: float32[2, 3], y: float32[2, 3]",
            .before = "mul(x, reciprocal(y))",
            .after = "div(x, y)",
            .apply = applyMulByReciprocal};
}

} // namespace loopscope
