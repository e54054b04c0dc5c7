#include "passes/rules/rule_list.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

bool applyComposeAdd(FunctionEdit &edit, NodeId root, const ConstantEvaluation &evaluation) {
    const ValueId inner = edit.input(root, 0);
    const NodeId before = madeBy(edit, inner, "add");
    const HostTensor *outerConstant = edit.constant(edit.input(root, 1));
    if (before.value < 0 || !hasOneUse(edit, inner) || !outerConstant) return false;
    const ValueId x = edit.input(before, 0);
    const HostTensor *innerConstant = edit.constant(edit.input(before, 1));
    if (!innerConstant || edit.constant(x)) return false;
    auto both = evaluation.evaluate("add", {innerConstant, outerConstant});
    // Two vectors along different axes would become a matrix.
    if (!both || both->elements() > std::max(innerConstant->elements(), outerConstant->elements())) return false;
    if (!standsFor(*both, *innerConstant, *outerConstant, Composition::Sum)) return false;
    const ValueId constant = edit.addConstant(edit.value(edit.input(root, 1)).name + ".composed", *std::move(both));
    return edit.replace(edit.output(root), edit.add(root, "add", {x, constant}), "one term stands for both");
}

} // namespace

RewriteRule composeAddRule() {
    return {.name = "composeAdd",
            .roots = {"add"},
            .given = "x: float32[2, 3]",
            .before = "add(add(x, 2.0), {1.0, 2.0, 3.0})",
            .after = "add(x, {3.0, 4.0, 5.0})",
            .apply = applyComposeAdd};
}

} // namespace loopscope
