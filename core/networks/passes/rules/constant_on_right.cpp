#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyConstantOnRight(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const ValueId a = edit.input(root, 0);
    const ValueId b = edit.input(root, 1);
    if (!edit.constant(a) || edit.constant(b)) return false;
    return edit.replace(edit.output(root), edit.add(root, edit.node(root).op, {b, a}), "constants stand on the right");
}

} // namespace

RewriteRule constantOnRightRule() {
    return {.name = "constantOnRight",
            .roots = {"add", "mul"},
            .given = "x: float32[2, 3]",
            .before = "add(2.0, x)",
            .after = "add(x, 2.0)",
            .apply = applyConstantOnRight};
}

} // namespace loopscope
