// Nodes whose inputs are all constants become constants, and so do integers that are known from shapes alone: chains of
// shape, gather, concat that end in a reshape. What is too large stays (PassOptions::foldedBytes), splats stay splats.
// A value without elements is known from its type: parameters and nodes that have none are read as constants.

#include "networks/op/infer_types.h"
#include "networks/passes/constant_evaluation.h"
#include "networks/passes/function_edit.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>

namespace loopscope {

namespace {

/// Elements are worth inferring only where some node computes integers.
bool computesIntegers(const GraphFunction &function) {
    for (size_t i = 0; i < function.nodeCount(); ++i)
        for (const ValueId output : function.node(NodeId(i)).outputs) {
            const auto &type = function.value(output).type;
            if (type && !isFloat(type->dtype) && type->dims.size() <= 1) return true;
        }
    return false;
}

std::optional<HostTensor> knownElements(const FunctionFacts &facts, ValueId value, const TensorType &type) {
    const auto &elements = facts.elements[value.index()];
    if (!elements || isFloat(type.dtype)) return std::nullopt;
    const auto numbers = constantDims(*elements);
    const auto dims = constantDims(type.dims);
    if (!numbers || !dims || elementCount(*dims) != static_cast<int64_t>(numbers->size())) return std::nullopt;
    HostTensor tensor = HostTensor::zeros(type.dtype, *dims);
    for (size_t i = 0; i < numbers->size(); ++i) tensor.setInteger(static_cast<int64_t>(i), (*numbers)[i]);
    return tensor;
}

/// Of a value whose type leaves it no elements.
std::optional<HostTensor> nothingOf(const FunctionEdit &edit, ValueId value) {
    if (value.value < 0 || edit.constant(value) || !hasNoElements(edit, value)) return std::nullopt;
    return HostTensor::zeros(edit.type(value)->dtype, *knownDims(edit, value));
}

std::optional<std::vector<HostTensor>> valueOf(FunctionEdit &edit, NodeId node, const FunctionFacts *facts,
                                               const ConstantEvaluation &evaluation) {
    std::deque<HostTensor> without;
    std::vector<const HostTensor *> inputs;
    bool all = !edit.node(node).inputs.empty();
    for (const ValueId input : edit.inputs(node)) {
        if (auto none = nothingOf(edit, input)) {
            without.push_back(*std::move(none));
            inputs.push_back(&without.back());
        } else {
            inputs.push_back(edit.constant(input));
        }
        all = all && (input.value < 0 || inputs.back());
    }
    if (all) {
        auto values = evaluation.evaluate(edit.node(node), inputs);
        if (values) return *std::move(values);
    }
    if (!facts || edit.node(node).outputs.size() != 1) return std::nullopt;
    const ValueId output = edit.output(node);
    const TensorType *type = edit.type(output);
    auto known = type ? knownElements(*facts, output, *type) : std::nullopt;
    if (!known) return std::nullopt;
    return std::vector<HostTensor>{*std::move(known)};
}

} // namespace

GraphPass foldConstantsPass() {
    return {{.name = "foldConstants",
             .level = 1,
             .needs = {Fact::Types},
             .preserves = Facts::all(),
             .description = "nodes with constant inputs, and shapes that are computed with, become constants"},
            FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
                const ConstantEvaluation evaluation(context);
                std::optional<FunctionFacts> facts;
                if (computesIntegers(*function)) facts = inferFacts(*function);
                FunctionEdit edit(function, "foldConstants", context.report);
                for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at)) {
                    // What runs in order does more than compute a value.
                    const bool pure = function->blocks()[edit.blockOf(at)].kind == BlockKind::Dataflow;
                    for (const ValueId output : std::vector(edit.node(at).outputs))
                        if (auto none = nothingOf(edit, output); none && pure && edit.uses(output) > 0)
                            edit.replace(output, edit.addConstant(edit.value(output).name, *std::move(none)),
                                         "it has no elements");
                    if (!edit.alive(at)) continue;
                    auto values = valueOf(edit, at, facts ? &*facts : nullptr, evaluation);
                    if (!values) continue;
                    const std::vector<ValueId> outputs = edit.node(at).outputs;
                    for (size_t i = 0; i < outputs.size() && i < values->size(); ++i)
                        if (edit.uses(outputs[i]) > 0)
                            edit.replace(outputs[i], edit.addConstant(edit.value(outputs[i]).name, (*values)[i]),
                                         "it computes a constant");
                }
                return edit.finish();
            })};
}

} // namespace loopscope
