// Elementwise nodes and concats in the order that costs less. One on every input of a concat becomes one behind it
// where none of them could have been computed together with a convolution before it, which costs nothing; where all of
// them can be, one behind a concat goes to its inputs, and the concat may copy nothing.

#include "networks/op/operator.h"
#include "networks/passes/function_edit.h"
#include "networks/passes/node_attributes.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"

#include <algorithm>
#include <cstdint>

namespace loopscope {

namespace {

constexpr size_t kMaxLookedAt = 16;

bool readAlone(const FunctionEdit &edit, ValueId value) { return edit.uses(value) == 1 && !edit.isResult(value); }

enum class Anchor : uint8_t { None, Found, TooFar };

/// What computes the value and takes elementwise nodes behind it, directly or through some.
Anchor anchorOf(const FunctionEdit &edit, ValueId value) {
    for (size_t looked = 0; looked < kMaxLookedAt; ++looked) {
        if (edit.producer(value).value < 0 || !readAlone(edit, value)) return Anchor::None;
        const NodeId by = edit.producer(value);
        const Operator *entry = findOperator(edit.node(by).op);
        if (!entry) return Anchor::None;
        if (entry->pattern == PatternKind::OutputFusable) return Anchor::Found;
        if (entry->pattern > PatternKind::Broadcast) return Anchor::None;
        value = edit.input(by, edit.constant(edit.input(by, 0)) ? 1 : 0);
        if (value.value < 0) return Anchor::None;
    }
    return Anchor::TooFar;
}

bool isUnaryElementwise(const Node &node) {
    const Operator *entry = findOperator(node.op);
    return entry && entry->pattern == PatternKind::Elementwise && entry->maxOutputs == 1 && node.inputs.size() == 1;
}

bool sinks(const FunctionEdit &edit, const std::vector<ValueId> &inputs) {
    if (inputs.size() < 2) return false;
    const NodeId first = edit.producer(inputs[0]);
    if (first.value < 0 || !isUnaryElementwise(edit.node(first))) return false;
    return std::all_of(inputs.begin(), inputs.end(), [&](ValueId input) {
        const NodeId by = edit.producer(input);
        if (by.value < 0 || !readAlone(edit, input) || !sameAttributes(edit.node(by), edit.node(first))) return false;
        const TensorType *from = edit.type(edit.input(by, 0));
        const TensorType *to = edit.type(edit.input(first, 0));
        return from && to && from->dtype == to->dtype && anchorOf(edit, edit.input(by, 0)) == Anchor::None;
    });
}

/// Whether the elementwise node reads a concat that nobody else reads, and costs nothing on each of its inputs.
bool rises(const FunctionEdit &edit, NodeId at) {
    const NodeId concat = edit.producer(edit.input(at, 0));
    if (concat.value < 0 || edit.node(concat).op != "concat" || !readAlone(edit, edit.output(concat))) return false;
    const std::vector<ValueId> inputs = edit.inputs(concat);
    return inputs.size() > 1 && std::all_of(inputs.begin(), inputs.end(),
                                            [&](ValueId input) { return anchorOf(edit, input) == Anchor::Found; });
}

} // namespace

GraphPass raiseElementwisePass() {
    return {{.name = "raiseElementwise",
             .level = 3,
             .needs = {Fact::Types, Fact::Canonical},
             .preserves = Facts::all(),
             .description = "an elementwise node behind a concat goes to its inputs, where each costs nothing"},
            FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
                FunctionEdit edit(function, "raiseElementwise", context.report);
                for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at)) {
                    if (!isUnaryElementwise(edit.node(at)) || !rises(edit, at)) continue;
                    const Node unary = edit.node(at);
                    const NodeId concat = edit.producer(edit.input(at, 0));
                    std::vector<ValueId> inputs = edit.inputs(concat);
                    const Attributes attributes = edit.node(concat).attributes;
                    for (ValueId &input : inputs) input = edit.add(at, unary.op, {input}, unary.attributes);
                    edit.replace(edit.output(at), edit.add(at, "concat", inputs, attributes),
                                 "each input of the concat takes it where it is made");
                }
                return edit.finish();
            })};
}

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
