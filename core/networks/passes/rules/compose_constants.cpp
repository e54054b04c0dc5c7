#include "networks/passes/rules/rule_list.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

bool applyCompose(FunctionEdit &edit, NodeId root, const ConstantEvaluation &evaluation, const std::string &op,
                  Composition composition, const char *why) {
    const ValueId inner = edit.input(root, 0);
    const NodeId before = madeBy(edit, inner, op);
    const HostTensor *outerConstant = edit.constant(edit.input(root, 1));
    if (before.value < 0 || !hasOneUse(edit, inner) || !outerConstant) return false;
    const ValueId x = edit.input(before, 0);
    const HostTensor *innerConstant = edit.constant(edit.input(before, 1));
    if (!innerConstant || edit.constant(x)) return false;
    auto both = evaluation.evaluate(op, {innerConstant, outerConstant});
    // Two vectors along different axes would become a matrix.
    if (!both || both->elements() > std::max(innerConstant->elements(), outerConstant->elements())) return false;
    if (!standsFor(*both, *innerConstant, *outerConstant, composition)) return false;
    const ValueId constant = edit.addConstant(edit.value(edit.input(root, 1)).name + ".composed", *std::move(both));
    return edit.replace(edit.output(root), edit.add(root, op, {x, constant}), why);
}

} // namespace

RewriteRule composeAddRule() {
    return {.name = "composeAdd",
            .roots = {"add"},
            .given = "x: float32[2, 3]",
            .before = "add(add(x, 2.0), {1.0, 2.0, 3.0})",
            .after = "add(x, {3.0, 4.0, 5.0})",
            .apply = [](FunctionEdit &edit, NodeId root, const ConstantEvaluation &evaluation) {
                return applyCompose(edit, root, evaluation, "add", Composition::Sum, "one term stands for both");
            }};
}

RewriteRule composeMulRule() {
    return {.name = "composeMul",
            .roots = {"mul"},
            .given = "x: float32[2, 3]",
            .before = "mul(mul(x, 2.0), {1.0, 2.0, 3.0})",
            .after = "mul(x, {2.0, 4.0, 6.0})",
            .apply = [](FunctionEdit &edit, NodeId root, const ConstantEvaluation &evaluation) {
                return applyCompose(edit, root, evaluation, "mul", Composition::Product, "one factor stands for both");
            }};
}

} // namespace loopscope
