#include "networks/passes/node_attributes.h"
#include "networks/passes/rules/rule_list.h"

#include <cmath>

namespace loopscope {

namespace {

bool applyClipOfRelu(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const ValueId inner = edit.input(root, 0);
    const NodeId relu = madeBy(edit, inner, "relu");
    if (relu.value < 0 || !hasOneUse(edit, inner)) return false;
    const double least = numberOf(edit.node(root), "min");
    if (numberOf(edit.node(root), "max") < 0 || std::isnan(least)) return false;
    Attributes limits = edit.node(root).attributes;
    if (least < 0) limits["min"] = 0.0;
    return edit.replace(edit.output(root), edit.add(root, "clip", {edit.input(relu, 0)}, limits),
                        "clipping at zero does what relu does");
}

} // namespace

RewriteRule clipOfReluRule() {
    return {.name = "clipOfRelu",
            .roots = {"clip"},
            .given = "x: float32[2, 3]",
            .before = "clip(relu(x); max = 6.0, min = -1.0)",
            .after = "clip(x; max = 6.0, min = 0.0)",
            .apply = applyClipOfRelu};
}

} // namespace loopscope
