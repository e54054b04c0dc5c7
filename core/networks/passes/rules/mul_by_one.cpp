#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyMulByOne(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    if (!isOnes(edit, edit.input(root, 1)) || !sameType(edit, edit.input(root, 0), edit.output(root))) return false;
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
