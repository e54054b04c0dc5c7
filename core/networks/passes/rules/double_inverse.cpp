#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyDoubleInverse(FunctionEdit &edit, NodeId root, const char *op, const char *why) {
    const NodeId inner = madeBy(edit, edit.input(root, 0), op);
    return inner.value >= 0 && edit.replace(edit.output(root), edit.input(inner, 0), why);
}

} // namespace

RewriteRule negOfNegRule() {
    return {.name = "negOfNeg",
            .roots = {"neg"},
            .given = "x: float32[2, 3]",
            .before = "neg(neg(x))",
            .after = "x",
            .apply = [](FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
                return applyDoubleInverse(edit, root, "neg", "the negative of a negative");
            }};
}

RewriteRule reciprocalOfReciprocalRule() {
    return {.name = "reciprocalOfReciprocal",
            .roots = {"reciprocal"},
            .given = "x: float32[2, 3]",
            .before = "reciprocal(reciprocal(x))",
            .after = "x",
            .apply = [](FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
                return applyDoubleInverse(edit, root, "reciprocal", "the inverse of an inverse");
            }};
}

} // namespace loopscope
