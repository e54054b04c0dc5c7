#include "passes/rules/rule_list.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

bool applyComposeMul(FunctionEdit &edit, NodeId root, const ConstantEvaluation &evaluation) {
    const ValueId inner = edit.input(root, 0);
    const NodeId before = madeBy(edit, inner, "mul");
    const HostTensor *outerConstant = edit.constant(edit.input(root, 1));
    if (before.value < 0 || !hasOneUse(edit, inner) || !outerConstant) return false;
    const ValueId x = edit.input(before, 0);
    const HostTensor *innerConstant = edit.constant(edit.input(before, 1));
    if (!innerConstant || edit.constant(x)) return false;
    auto both = evaluation.evaluate("mul", {innerConstant, outerConstant});
    // Two vectors along different axes would become a matrix.
    if (!both || both->elements() > std::max(innerConstant->elements(), outerConstant->elements())) return false;
    if (!standsFor(*both, *innerConstant, *outerConstant, Composition::Product)) return false;
    const ValueId constant = edit.addConstant(edit.value(edit.input(root, 1)).name + ".composed", *std::move(both));
    return edit.replace(edit.output(root), edit.add(root, "mul", {x, constant}), "one factor stands for both");
}

} // namespace

RewriteRule composeMulRule() {
    return {.name = "composeMul",
            .roots = {"mul"},
            .given = "x: float32[2, 3]",
            .before = "mul(mul(x, 2.0), {1.0, 2.0, 3.0})",
            .after = "mul(x, {2.0, 4.0, 6.0})",
            .apply = applyComposeMul};
}

} // namespace loopscope
