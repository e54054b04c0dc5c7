#include "networks/passes/node_attributes.h"
#include "networks/passes/rules/rule_list.h"

#include "networks/op/operator.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

constexpr size_t kMaxPassed = 8;

/// One input that counts, the others being single numbers.
bool isAlikeForAll(const FunctionEdit &edit, NodeId id) {
    const Operator *entry = findOperator(edit.node(id).op);
    if (!entry || entry->pattern > PatternKind::Broadcast || edit.node(id).outputs.size() != 1) return false;
    static constexpr std::array axisBound = {"bias_add", "expand", "tile", "unsqueeze", "squeeze", "dropout"};
    if (std::find(axisBound.begin(), axisBound.end(), edit.node(id).op) != axisBound.end()) return false;
    const std::vector<ValueId> inputs = edit.inputs(id);
    for (size_t i = 1; i < inputs.size(); ++i)
        if (inputs[i].value >= 0 && !(edit.constant(inputs[i]) && edit.constant(inputs[i])->elements() == 1))
            return false;
    const TensorType *from = edit.type(inputs[0]);
    const TensorType *to = edit.type(edit.output(id));
    return from && to && from->dims == to->dims;
}

bool applyTransposePastElementwise(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    // Up through a few nodes that treat every element alike and have no other reader.
    std::vector<NodeId> passed;
    ValueId value = edit.input(root, 0);
    NodeId inner;
    while (passed.size() <= kMaxPassed && hasOneUse(edit, value) && edit.producer(value).value >= 0) {
        const NodeId by = edit.producer(value);
        if (edit.node(by).op == "transpose") {
            inner = by;
            break;
        }
        if (!isAlikeForAll(edit, by)) return false;
        passed.push_back(by);
        value = edit.input(by, 0);
    }
    if (inner.value < 0 || passed.empty()) return false;
    const size_t rank = edit.type(value)->dims.size();
    const std::vector<size_t> first = permutationOf(edit.node(inner), rank);
    const std::vector<size_t> second = permutationOf(edit.node(root), rank);
    std::vector<int64_t> both(rank);
    bool nothing = true;
    for (size_t i = 0; i < rank; ++i) {
        both[i] = static_cast<int64_t>(first[second[i]]);
        nothing = nothing && first[second[i]] == i;
    }
    value = edit.input(inner, 0);
    if (!nothing) value = edit.add(root, "transpose", {value}, {{"permutation", both}});
    for (size_t i = passed.size(); i-- > 0;) {
        std::vector<ValueId> inputs = edit.inputs(passed[i]);
        inputs[0] = value;
        value = edit.add(root, edit.node(passed[i]).op, inputs, edit.node(passed[i]).attributes);
    }
    return edit.replace(edit.output(root), value, "two transposes around elementwise nodes are one or none");
}

} // namespace

RewriteRule transposePastElementwiseRule() {
    return {.name = "transposePastElementwise",
            .roots = {"transpose"},
            .given = "x: float32[2, 3, 4]",
            .before = "transpose(relu(mul(transpose(x; permutation = [1, 2, 0]), 2.0)); permutation = [2, 0, 1])",
            .after = "relu(mul(x, 2.0))",
            .apply = applyTransposePastElementwise};
}

} // namespace loopscope
