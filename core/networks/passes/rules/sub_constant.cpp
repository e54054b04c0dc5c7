#include "networks/passes/rules/rule_list.h"

#include <utility>

namespace loopscope {

namespace {

bool applySubConstant(FunctionEdit &edit, NodeId root, const ConstantEvaluation &evaluation) {
    const HostTensor *constant = edit.constant(edit.input(root, 1));
    if (!constant || isUnsigned(constant->dtype())) return false;
    auto negative = evaluation.evaluate("neg", {constant});
    if (!negative) return false;
    const ValueId other = edit.addConstant(edit.value(edit.input(root, 1)).name + ".negative", *std::move(negative));
    return edit.replace(edit.output(root), edit.add(root, "add", {edit.input(root, 0), other}),
                        "a constant is added instead of subtracted");
}

} // namespace

RewriteRule subConstantRule() {
    return {.name = "subConstant",
            .roots = {"sub"},
            .given = "x: float32[2, 3]",
            .before = "sub(x, {1.0, 2.0, 3.0})",
            .after = "add(x, {-1.0, -2.0, -3.0})",
            .apply = applySubConstant};
}

} // namespace loopscope
