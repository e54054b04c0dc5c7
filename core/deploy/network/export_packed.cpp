#include "deploy/network/export_packed.h"

#include "codegen/c/c_expr.h"
#include "networks/packed/tensor_spec.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

std::string factsLine(const PlanTensor &tensor, const std::string &name) {
    const DlDataType type = dlTypeOf(tensor.dtype);
    std::string shape = fmt::format("{}", fmt::join(tensor.dims, ", "));
    if (shape.empty()) shape = "0";
    return fmt::format("    {{\"{}\", \"{}\", {}, {}, {}, {}u, {{{}}}}},\n", name, dtypeName(tensor.dtype), type.code,
                       type.bits, tensor.dims.size(), tensor.bytes(), shape);
}

/// A tensor as a row of the table in Python.
std::string pythonRow(const PlanTensor &tensor, const std::string &name) {
    return fmt::format("    (\"{}\", \"{}\", ({}{})),\n", name, dtypeName(tensor.dtype), fmt::join(tensor.dims, ", "),
                       tensor.dims.size() == 1 ? "," : "");
}

} // namespace

std::vector<std::pair<std::string, std::string>> packedWords(const ExecutionPlan &plan,
                                                             const std::vector<std::string> &inputNames,
                                                             const std::vector<std::string> &outputNames,
                                                             const std::vector<double> &tolerances) {
    size_t ranks = 1;
    std::string facts;
    std::string arguments;
    std::string inputRows;
    std::string outputRows;
    for (size_t i = 0; i < plan.inputs.size(); ++i) {
        ranks = std::max(ranks, plan.inputs[i].dims.size());
        facts += factsLine(plan.inputs[i], inputNames[i]);
        inputRows += pythonRow(plan.inputs[i], inputNames[i]);
        arguments += fmt::format(", first_element(tensors[{}])", i);
    }
    for (size_t i = 0; i < plan.outputs.size(); ++i) {
        ranks = std::max(ranks, plan.outputs[i].dims.size());
        facts += factsLine(plan.outputs[i], outputNames[i]);
        outputRows += pythonRow(plan.outputs[i], outputNames[i]);
        arguments += fmt::format(", first_element(tensors[{}])", plan.inputs.size() + i);
    }
    std::string allowed;
    for (const double tolerance : tolerances) allowed += fmt::format("{:.9g}, ", tolerance);
    return {{"@INPUTS@", fmt::format("{}", fmt::join(inputNames, ", "))},
            {"@OUTPUTS@", fmt::format("{}", fmt::join(outputNames, ", "))},
            {"@INPUT_COUNT@", std::to_string(plan.inputs.size())},
            {"@TENSOR_COUNT@", std::to_string(plan.inputs.size() + plan.outputs.size())},
            {"@RANKS@", std::to_string(ranks)},
            {"@FACTS@", facts},
            {"@ARGUMENTS@", arguments},
            {"@INPUT_ROWS@", inputRows},
            {"@OUTPUT_ROWS@", outputRows},
            {"@TOLERANCES@", allowed}};
}

} // namespace loopscope
