#include "deploy/plan/host_routine.h"

#include "base/check.h"
#include "base/thread_pool.h"
#include "language/tensor/wide_tensor.h"
#include "networks/graph/function_builder.h"
#include "networks/graph/module.h"
#include "networks/graph/net_text.h"
#include "networks/op/operator.h"
#include "networks/op/reference.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace loopscope {

namespace {

const char *const kPlace = "the host's part of a plan";

/// Of the values of `function` at their places; nothing where it is none for a host.
std::optional<std::string> problemWith(const Module &module) {
    const FunctionPtr function = module.find("main");
    if (function == nullptr || module.functions.size() != 1 || function->nodeCount() != 1)
        return "is left to the host, and is not one operator";
    const Node &node = function->node(NodeId(size_t{0}));
    const Operator *of = findOperator(node.op);
    if (of == nullptr || !of->host) return fmt::format("is left to the host, which does not compute `{}`", node.op);
    return std::nullopt;
}

std::vector<ValueId> valuesOf(const GraphFunction &function) {
    std::vector<ValueId> values = function.parameters();
    values.insert(values.end(), function.results().begin(), function.results().end());
    return values;
}

} // namespace

bool isHostKernel(const GraphFunction &function, const Kernel &kernel) {
    if (kernel.nodes.size() != 1) return false;
    const Operator *of = findOperator(function.node(kernel.nodes.front()).op);
    return of != nullptr && of->host;
}

Outcome<HostRoutine> hostRoutineOf(const GraphFunction &function, const Kernel &kernel) {
    LOOPSCOPE_CHECK(isHostKernel(function, kernel), "the host computes the node of " + kernel.name);
    FunctionBuilder builder("main");
    std::vector<ValueId> mapped(function.valueCount());
    const auto typed = [&](ValueId value) { return constantDims(function.type(value).dims).has_value(); };
    for (const ValueId input : kernel.inputs) {
        if (!typed(input)) return Refusal{"the dims of '" + function.value(input).name + "' are not known"};
        mapped[input.index()] = builder.addParameter(function.value(input).name, function.type(input));
    }
    Node node = function.node(kernel.nodes.front());
    for (ValueId &input : node.inputs) {
        if (input.value < 0) continue;
        ValueId &now = mapped[input.index()];
        if (now.value < 0 && function.isConstant(input))
            now = builder.addConstant(function.value(input).name, *function.constant(input));
        LOOPSCOPE_CHECK(now.value >= 0, "a kernel's node reads its inputs and constants");
        input = now;
    }
    const std::vector<ValueId> outputs = node.outputs;
    std::vector<std::string> names;
    for (const ValueId output : outputs) names.push_back(function.value(output).name);
    const NodeId made = builder.addNode(std::move(node), names);
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (!typed(outputs[i])) return Refusal{"the dims of '" + names[i] + "' are not known"};
        mapped[outputs[i].index()] = builder.soFar().node(made).outputs[i];
        builder.setType(mapped[outputs[i].index()], function.type(outputs[i]));
    }
    for (const ValueId output : kernel.outputs) builder.addResult(mapped[output.index()]);
    NetPrintOptions print;
    print.maxInline = SIZE_MAX;
    return HostRoutine{netText({"host", {}, {std::move(builder).finish()}}, print)};
}

std::vector<KernelArg> hostArguments(const GraphFunction &function, const Kernel &kernel) {
    std::vector<KernelArg> args;
    const auto add = [&](ValueId value, bool output) {
        const TensorType &type = function.type(value);
        const std::vector<int64_t> dims = constantDims(type.dims).value();
        args.push_back({function.value(value).name, output, type.dtype, elementCount(dims), dims, {}});
    };
    for (const ValueId input : kernel.inputs) add(input, false);
    for (const ValueId output : kernel.outputs) add(output, true);
    return args;
}

std::optional<std::string> problemOf(const HostRoutine &routine, std::span<const KernelArg> args) {
    Module module;
    try {
        module = parseNet(routine.text, kPlace).module;
    } catch (const Error &error) {
        return "is left to the host by a text that cannot be read: " + error.sentence();
    }
    if (auto problem = problemWith(module)) return problem;
    const GraphFunction &function = module.main();
    const std::vector<ValueId> values = valuesOf(function);
    if (values.size() != args.size())
        return fmt::format("has {} arguments, and the host takes {}", args.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        const Value &value = function.value(values[i]);
        const auto dims = value.type ? constantDims(value.type->dims) : std::nullopt;
        if (!dims || value.type->dtype != args[i].dtype || *dims != args[i].shape ||
            args[i].output != (i >= function.parameters().size()))
            return fmt::format("hands '{}' to the host, which takes it in another form", args[i].name);
    }
    return std::nullopt;
}

PreparedHost::PreparedHost(const HostRoutine &routine, void *const *arguments)
    : m_function(parseNet(routine.text, kPlace).module.find("main")), m_arguments(arguments) {}

void PreparedHost::run() const {
    const GraphFunction &function = *m_function;
    const Node &node = function.node(NodeId(size_t{0}));
    const std::vector<ValueId> values = valuesOf(function);
    const auto bytesOf = [&](size_t argument) {
        const TensorType &type = function.type(values[argument]);
        return static_cast<size_t>(elementCount(constantDims(type.dims).value())) *
               static_cast<size_t>(dtypeBytes(type.dtype));
    };
    std::vector<WideTensor> inputs(function.valueCount());
    for (size_t i = 0; i < function.parameters().size(); ++i) {
        const TensorType &type = function.type(values[i]);
        inputs[values[i].index()] = WideTensor::of(HostTensor::fromBytes(
            type.dtype, constantDims(type.dims).value(), {static_cast<const std::byte *>(m_arguments[i]), bytesOf(i)}));
    }
    std::vector<const WideTensor *> read;
    for (const ValueId input : node.inputs) {
        if (input.value >= 0 && function.isConstant(input))
            inputs[input.index()] = WideTensor::of(*function.constant(input));
        read.push_back(input.value < 0 ? nullptr : &inputs[input.index()]);
    }
    ThreadPool pool(1);
    const auto computed = evaluateNode(node, read, pool);
    if (!computed) throw Error(computed.why());
    for (size_t i = function.parameters().size(); i < values.size(); ++i) {
        const auto at = std::find(node.outputs.begin(), node.outputs.end(), values[i]) - node.outputs.begin();
        const HostTensor result = (*computed)[static_cast<size_t>(at)].narrow().dense();
        if (result.byteSize() != bytesOf(i))
            throw Error(fmt::format("{} computed {} bytes of '{}', which has {}", nodeText(node), result.byteSize(),
                                    function.value(values[i]).name, bytesOf(i)));
        if (result.byteSize() > 0) std::memcpy(m_arguments[i], result.bytes(), result.byteSize());
    }
}

} // namespace loopscope
