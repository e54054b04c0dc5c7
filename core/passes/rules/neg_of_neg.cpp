#include "passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyNegOfNeg(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const NodeId inner = madeBy(edit, edit.input(root, 0), "neg");
    return inner.value >= 0 && edit.replace(edit.output(root), edit.input(inner, 0), "the negative of a negative");
}

} // namespace

RewriteRule negOfNegRule() {
    return {.name = "negOfNeg",
            .roots = {"neg"},
            .given = "x: float32[2, 3]",
            .before = "neg(neg(x))",
            .after = "x",
            .apply = applyNegOfNeg};
}

} // namespace loopscope
