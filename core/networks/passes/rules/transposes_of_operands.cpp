#include "networks/passes/node_attributes.h"
#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyTransposesOfOperands(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const ValueId a = edit.input(root, 0);
    const ValueId b = edit.input(root, 1);
    const NodeId first = madeBy(edit, a, "transpose");
    const NodeId second = madeBy(edit, b, "transpose");
    if (first.value < 0 || second.value < 0 || a == b || !hasOneUse(edit, a) || !hasOneUse(edit, b)) return false;
    if (!sameType(edit, a, b) || !sameAttributes(edit.node(first), edit.node(second))) return false;
    const ValueId value = edit.add(root, edit.node(root).op, {edit.input(first, 0), edit.input(second, 0)});
    return edit.replace(edit.output(root), edit.add(root, "transpose", {value}, edit.node(first).attributes),
                        "one transpose behind stands for two before");
}

} // namespace

RewriteRule transposesOfOperandsRule() {
    return {.name = "transposesOfOperands",
            .roots = {"add", "sub", "mul", "div", "maximum", "minimum"},
            .given = "x: float32[2, 3, 4], y: float32[2, 3, 4]",
            .before = "add(transpose(x; permutation = [1, 2, 0]), transpose(y; permutation = [1, 2, 0]))",
            .after = "transpose(add(x, y); permutation = [1, 2, 0])",
            .apply = applyTransposesOfOperands};
}

} // namespace loopscope
