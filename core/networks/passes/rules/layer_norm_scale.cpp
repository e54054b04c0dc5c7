#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyLayerNormScale(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const size_t side = edit.constant(edit.input(root, 0)) ? 1 : 0;
    const ValueId inner = edit.input(root, side);
    const NodeId norm = madeBy(edit, inner, "layer_norm");
    const ValueId factor = edit.input(root, 1 - side);
    if (norm.value < 0 || !hasOneUse(edit, inner) || !edit.constant(factor)) return false;
    const ValueId scale = edit.input(norm, 1);
    if (!isOnes(edit, scale) || edit.input(norm, 2).value >= 0 || !sameType(edit, factor, scale)) return false;
    return edit.replace(edit.output(root),
                        edit.add(root, "layer_norm", {edit.input(norm, 0), factor}, edit.node(norm).attributes),
                        "it is the scale of the layer norm before it");
}

} // namespace

RewriteRule layerNormScaleRule() {
    return {.name = "layerNormScale",
            .roots = {"mul"},
            .given = "x: float32[2, 3]",
            .before = "mul(layer_norm(x, {1.0, 1.0, 1.0}; axis = 1), {1.0, 2.0, 3.0})",
            .after = "layer_norm(x, {1.0, 2.0, 3.0}; axis = 1)",
            .apply = applyLayerNormScale};
}

} // namespace loopscope
