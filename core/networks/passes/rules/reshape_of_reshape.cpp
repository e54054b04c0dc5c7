#include "networks/passes/node_attributes.h"
#include "networks/passes/rules/rule_list.h"

#include <algorithm>

namespace loopscope {

namespace {

bool applyReshapeOfReshape(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const NodeId inner = madeBy(edit, edit.input(root, 0), "reshape");
    const HostTensor *shape = edit.constant(edit.input(root, 1));
    if (inner.value < 0 || !shape) return false;
    // A zero takes an extent over from what is reshaped, which would be another tensor.
    const std::vector<int64_t> extents = shape->integerValues();
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return false;
    const ValueId x = edit.input(inner, 0);
    if (sameType(edit, x, edit.output(root)))
        return edit.replace(edit.output(root), x, "the second reshape undoes the first");
    return edit.replace(edit.output(root),
                        edit.add(root, "reshape", {x, edit.input(root, 1)}, edit.node(root).attributes),
                        "two reshapes are one");
}

} // namespace

RewriteRule reshapeOfReshapeRule() {
    return {.name = "reshapeOfReshape",
            .roots = {"reshape"},
            .given = "x: float32[2, 3, 4]",
            .before = "reshape(reshape(x, [6, 4]), [4, 6])",
            .after = "reshape(x, [4, 6])",
            .apply = applyReshapeOfReshape};
}

} // namespace loopscope
