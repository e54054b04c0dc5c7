#include "passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyReciprocalOfReciprocal(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const NodeId inner = madeBy(edit, edit.input(root, 0), "reciprocal");
    return inner.value >= 0 && edit.replace(edit.output(root), edit.input(inner, 0), "the inverse of an inverse");
}

} // namespace

RewriteRule reciprocalOfReciprocalRule() {
    return {.name = "reciprocalOfReciprocal",
            .roots = {"reciprocal"},
            .given = "x: float32[2, 3]",
            .before = "reciprocal(reciprocal(x))",
            .after = "x",
            .apply = applyReciprocalOfReciprocal};
}

} // namespace loopscope
