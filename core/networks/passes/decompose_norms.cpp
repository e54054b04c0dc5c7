// Layer normalisation as TVM lowers it before it fuses: a mean, a variance, and what is elementwise after them. Only
// where kernels are to be those that its logs know; as one operator it is one kernel, which is faster.

#include "language/expr/half.h"
#include "networks/passes/function_edit.h"
#include "networks/passes/node_attributes.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"

#include <utility>

namespace loopscope {

namespace {

void decomposeLayerNorm(FunctionEdit &edit, NodeId id) {
    const Node &node = edit.node(id);
    ValueId x = edit.input(id, 0);
    const TensorType *type = edit.type(x);
    if (!type) return;
    // Statistics of narrow floats are float32, as the operator's own.
    const DType own = type->dtype;
    const DType wide = summedIn(own);
    const auto as = [&](ValueId value, DType to) {
        return own == wide ? value : edit.add(id, "cast", {value}, {{"to", std::string(dtypeName(to))}});
    };
    const auto rank = static_cast<int64_t>(type->dims.size());
    const int64_t given = integerOf(node, "axis");
    std::vector<int64_t> axes;
    for (int64_t axis = given < 0 ? given + rank : given; axis < rank; ++axis) axes.push_back(axis);
    const Attributes over = {{"axes", axes}, {"keep_dims", int64_t{1}}};
    x = as(x, wide);
    const ValueId mean = edit.add(id, "reduce_mean", {x}, over);
    // Twice: what the variance is made of stays inside its kernel.
    const ValueId difference = edit.add(id, "sub", {x, mean});
    const ValueId variance = edit.add(id, "reduce_mean", {edit.add(id, "mul", {difference, difference})}, over);
    const ValueId epsilon =
        edit.addConstant(node.name + ".epsilon", HostTensor::scalar(wide, numberOf(node, "epsilon")));
    const ValueId deviation = edit.add(id, "sqrt", {edit.add(id, "add", {variance, epsilon})});
    // How far a sum of many numbers far from zero is off goes into the result: taken out by a mean of the differences.
    const ValueId off = edit.add(id, "reduce_mean", {edit.add(id, "sub", {x, mean})}, over);
    const ValueId centred = edit.add(id, "sub", {edit.add(id, "sub", {x, mean}), off});
    ValueId result = as(edit.add(id, "div", {centred, deviation}), own);
    result = edit.add(id, "mul", {result, edit.input(id, 1)});
    if (const ValueId bias = edit.input(id, 2); bias.value >= 0) result = edit.add(id, "add", {result, bias});
    edit.replace(edit.output(id), result, "layer_norm is a mean, a variance and elementwise operators");
}

} // namespace

GraphPass decomposeNormsPass() {
    return {{.name = "decomposeNorms",
             .level = kNeverUnasked,
             .needs = {Fact::Types},
             .preserves = Facts::all(),
             .description = "layer normalisation as a mean, a variance and elementwise operators"},
            FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
                FunctionEdit edit(function, "decomposeNorms", context.report);
                for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at))
                    if (edit.node(at).op == "layer_norm") decomposeLayerNorm(edit, at);
                return edit.finish();
            })};
}

} // namespace loopscope
