#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applySqrtOfReciprocal(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    // The other order is the one that mulByReciprocal and layerNormCore know.
    const ValueId inner = edit.input(root, 0);
    const NodeId reciprocal = madeBy(edit, inner, "reciprocal");
    if (reciprocal.value < 0 || !hasOneUse(edit, inner) || !isNotNegative(edit, edit.input(reciprocal, 0)))
        return false;
    const ValueId root2 = edit.add(root, "sqrt", {edit.input(reciprocal, 0)});
    return edit.replace(edit.output(root), edit.add(root, "reciprocal", {root2}), "the inverse is taken last");
}

} // namespace

RewriteRule sqrtOfReciprocalRule() {
    return {.name = "sqrtOfReciprocal",
            .roots = {"sqrt"},
            .given = "x: float32[2, 3]",
            .before = "sqrt(reciprocal(abs(x)))",
            .after = "reciprocal(sqrt(abs(x)))",
            .apply = applySqrtOfReciprocal};
}

} // namespace loopscope
