#include "networks/passes/rules/rule_list.h"

#include <utility>

namespace loopscope {

namespace {

bool applyDivConstant(FunctionEdit &edit, NodeId root, const ConstantEvaluation &evaluation) {
    const HostTensor *constant = edit.constant(edit.input(root, 1));
    if (!constant || !isFloat(constant->dtype())) return false;
    const int64_t count = isUniform(*constant) ? 1 : constant->elements();
    for (int64_t i = 0; i < count; ++i) {
        if (!standsFor(1 / constant->number(i), {1}, constant->dtype(), Composition::Product)) return false;
    }
    auto inverse = evaluation.evaluate("reciprocal", {constant});
    if (!inverse) return false;
    const ValueId other = edit.addConstant(edit.value(edit.input(root, 1)).name + ".inverse", *std::move(inverse));
    return edit.replace(edit.output(root), edit.add(root, "mul", {edit.input(root, 0), other}),
                        "it is multiplied by the inverse of the constant");
}

} // namespace

RewriteRule divConstantRule() {
    return {.name = "divConstant",
            .roots = {"div"},
            .given = "x: float32[2, 3]",
            .before = "div(x, {1.0, 2.0, 4.0})",
            .after = "mul(x, {1.0, 0.5, 0.25})",
            .apply = applyDivConstant};
}

} // namespace loopscope
