#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyLogOfSoftmax(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const ValueId inner = edit.input(root, 0);
    const NodeId softmax = madeBy(edit, inner, "softmax");
    if (softmax.value < 0 || !hasOneUse(edit, inner)) return false;
    return edit.replace(edit.output(root),
                        edit.add(root, "log_softmax", {edit.input(softmax, 0)}, edit.node(softmax).attributes),
                        "the logarithm of a softmax is computed at once");
}

} // namespace

RewriteRule logOfSoftmaxRule() {
    return {.name = "logOfSoftmax",
            .roots = {"log"},
            .given = "x: float32[2, 3]",
            .before = "log(softmax(x; axis = 1))",
            .after = "log_softmax(x; axis = 1)",
            .apply = applyLogOfSoftmax};
}

} // namespace loopscope
