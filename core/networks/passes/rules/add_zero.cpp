#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyAddZero(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const auto term = uniformNumber(edit, edit.input(root, 1));
    if (!term || *term != 0 || !sameType(edit, edit.input(root, 0), edit.output(root))) return false;
    return edit.replace(edit.output(root), edit.input(root, 0), "it adds nothing");
}

} // namespace

RewriteRule addZeroRule() {
    return {.name = "addZero",
            .roots = {"add"},
            .given = "x: float32[2, 3]",
            .before = "add(x, 0.0)",
            .after = "x",
            .apply = applyAddZero};
}

} // namespace loopscope
