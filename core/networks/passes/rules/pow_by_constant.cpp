#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyPowByConstant(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const ValueId x = edit.input(root, 0);
    const auto exponent = uniformNumber(edit, edit.input(root, 1));
    if (!exponent || !isFloatValue(edit, x) || !sameType(edit, x, edit.output(root))) return false;
    const char *const sentence = "a power with this exponent is simpler";
    if (*exponent == 1) return edit.replace(edit.output(root), x, sentence);
    if (*exponent == 2) return edit.replace(edit.output(root), edit.add(root, "mul", {x, x}), sentence);
    // Of minus infinity the power is infinite, and there is no root.
    if (*exponent == 0.5 && isNotNegative(edit, x))
        return edit.replace(edit.output(root), edit.add(root, "sqrt", {x}), sentence);
    if (*exponent == -1) return edit.replace(edit.output(root), edit.add(root, "reciprocal", {x}), sentence);
    return false;
}

} // namespace

RewriteRule powByConstantRule() {
    return {.name = "powByConstant",
            .roots = {"pow"},
            .given = "x: float32[2, 3]",
            .before = "pow(x, 2.0)",
            .after = "mul(x, x)",
            .apply = applyPowByConstant};
}

} // namespace loopscope
