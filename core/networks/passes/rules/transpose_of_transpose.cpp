#include "networks/passes/node_attributes.h"
#include "networks/passes/rules/rule_list.h"

namespace loopscope {

namespace {

bool applyTransposeOfTranspose(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    const NodeId inner = madeBy(edit, edit.input(root, 0), "transpose");
    if (inner.value < 0) return false;
    const TensorType *type = edit.type(edit.output(root));
    if (!type) return false;
    const std::vector<size_t> first = permutationOf(edit.node(inner), type->dims.size());
    const std::vector<size_t> second = permutationOf(edit.node(root), type->dims.size());
    if (first.size() != type->dims.size() || second.size() != first.size()) return false;
    std::vector<int64_t> both(first.size());
    bool nothing = true;
    for (size_t i = 0; i < both.size(); ++i) {
        both[i] = static_cast<int64_t>(first[second[i]]);
        nothing = nothing && first[second[i]] == i;
    }
    const ValueId x = edit.input(inner, 0);
    if (nothing) return edit.replace(edit.output(root), x, "the second transpose undoes the first");
    return edit.replace(edit.output(root), edit.add(root, "transpose", {x}, {{"permutation", both}}),
                        "two transposes are one");
}

} // namespace

RewriteRule transposeOfTransposeRule() {
    return {.name = "transposeOfTranspose",
            .roots = {"transpose"},
            .given = "x: float32[2, 3, 4]",
            .before = "transpose(transpose(x; permutation = [1, 2, 0]); permutation = [0, 2, 1])",
            .after = "transpose(x; permutation = [1, 0, 2])",
            .apply = applyTransposeOfTranspose};
}

} // namespace loopscope
