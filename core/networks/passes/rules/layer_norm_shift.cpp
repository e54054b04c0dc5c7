#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyLayerNormShift(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const size_t side = edit.constant(edit.input(root, 0)) ? 1 : 0;
    const ValueId inner = edit.input(root, side);
    const NodeId norm = madeBy(edit, inner, "layer_norm");
    const ValueId term = edit.input(root, 1 - side);
    if (norm.value < 0 || !hasOneUse(edit, inner) || !edit.constant(term)) return false;
    const ValueId scale = edit.input(norm, 1);
    if (edit.input(norm, 2).value >= 0 || !sameType(edit, term, scale)) return false;
    return edit.replace(edit.output(root),
                        edit.add(root, "layer_norm", {edit.input(norm, 0), scale, term}, edit.node(norm).attributes),
                        "it is the bias of the layer norm before it");
}

} // namespace

RewriteRule layerNormShiftRule() {
    return {.name = "layerNormShift",
            .roots = {"add"},
            .given = "x: float32[2, 3]",
            .before = "add(layer_norm(x, {1.0, 2.0, 3.0}; axis = 1), {4.0, 5.0, 6.0})",
            .after = "layer_norm(x, {1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}; axis = 1)",
            .apply = applyLayerNormShift};
}

} // namespace loopscope
