// An elementwise node on every input of a concat becomes one behind it. It pays where none of them could have been
// computed together with a convolution before it, which costs nothing.

#include "op/operator.h"
#include "passes/function_edit.h"
#include "passes/node_attributes.h"
#include "passes/pass_context.h"
#include "passes/pass_list.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kMostLookedAt = 16;

bool readAlone(const FunctionEdit &edit, ValueId value) { return edit.uses(value) == 1 && !edit.isResult(value); }

/// Whether what computes the value takes elementwise nodes behind it, directly or through some.
bool hasAnchor(const FunctionEdit &edit, ValueId value) {
    for (size_t looked = 0; looked < kMostLookedAt; ++looked) {
        if (edit.producer(value).value < 0 || !readAlone(edit, value)) return false;
        const NodeId by = edit.producer(value);
        const Operator *entry = findOperator(edit.node(by).op);
        if (!entry) return false;
        if (entry->pattern == PatternKind::OutputFusable) return true;
        if (entry->pattern > PatternKind::Broadcast) return false;
        value = edit.input(by, edit.constant(edit.input(by, 0)) ? 1 : 0);
        if (value.value < 0) return false;
    }
    return true; // perhaps: then it stays
}

bool sinks(const FunctionEdit &edit, const std::vector<ValueId> &inputs) {
    if (inputs.size() < 2) return false;
    const NodeId first = edit.producer(inputs[0]);
    const Operator *entry = first.value >= 0 ? findOperator(edit.node(first).op) : nullptr;
    if (!entry || entry->pattern != PatternKind::Elementwise || entry->mostOutputs != 1 ||
        edit.node(first).inputs.size() != 1)
        return false;
    return std::all_of(inputs.begin(), inputs.end(), [&](ValueId input) {
        const NodeId by = edit.producer(input);
        if (by.value < 0 || !readAlone(edit, input) || !sameAttributes(edit.node(by), edit.node(first))) return false;
        const TensorType *from = edit.type(edit.input(by, 0));
        const TensorType *to = edit.type(edit.input(first, 0));
        return from && to && from->dtype == to->dtype && !hasAnchor(edit, edit.input(by, 0));
    });
}

} // namespace

GraphPass sinkElementwisePass() {
    return {{.name = "sinkElementwise",
             .level = 3,
             .needs = {Fact::Types, Fact::Canonical},
             .preserves = Facts::all(),
             .description = "elementwise nodes on all inputs of a concat become one behind it, where that pays"},
            FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
                FunctionEdit edit(function, "sinkElementwise", context.report);
                for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at)) {
                    if (edit.node(at).op != "concat") continue;
                    std::vector<ValueId> inputs = edit.inputs(at);
                    if (!sinks(edit, inputs)) continue;
                    const Node unary = edit.node(edit.producer(inputs[0]));
                    for (ValueId &input : inputs) input = edit.input(edit.producer(input), 0);
                    const ValueId joined = edit.add(at, "concat", inputs, edit.node(at).attributes);
                    edit.replace(edit.output(at), edit.add(at, unary.op, {joined}, unary.attributes),
                                 "it is computed once, behind the concat");
                }
                return edit.finish();
            })};
}

} // namespace loopscope
