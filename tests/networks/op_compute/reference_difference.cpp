#include "reference_difference.h"

#include "base/outcome.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "language/expr/half.h"
#include "language/interpret/interpreter.h"
#include "networks/op/infer_types.h"
#include "networks/op/operator.h"
#include "networks/op_compute/kernel_dag.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace loopscope {

namespace {

double edgeOf(DType type, uint64_t which) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double largest = largestOf(type);
    const double edges[kAllEdges] = {std::numeric_limits<double>::quiet_NaN(),
                                     kInfinity,
                                     -kInfinity,
                                     0.0,
                                     -0.0,
                                     1e-40,
                                     -1e-40,
                                     0.5,
                                     largest,
                                     -largest};
    return edges[which];
}

HostTensor drawn(const TensorType &type, ValueRange range, Random &random) {
    HostTensor tensor = HostTensor::zeros(type.dtype, *constantDims(type.dims));
    for (int64_t i = 0; i < tensor.elements(); ++i) {
        double value = range.low + (range.high - range.low) * random.uniform();
        if (range.edges > 0 && isFloat(type.dtype) && random.below(3) == 0)
            value = edgeOf(type.dtype, random.below(range.edges));
        if (type.dtype == DType::Bool)
            tensor.setInteger(i, static_cast<int64_t>(random.below(2)));
        else if (isFloat(type.dtype))
            tensor.setNumber(i, value);
        else
            tensor.setInteger(i, static_cast<int64_t>(std::floor(value)));
    }
    return tensor;
}

double toleranceOf(DType type) {
    if (type == DType::Float16 || type == DType::BFloat16) return 2e-2;
    return type == DType::Float64 ? 1e-9 : 3e-5;
}

std::string compared(const std::string &name, const TensorValue &computed, const WideTensor &expected) {
    if (computed.dtype != expected.dtype || computed.size() != expected.size())
        return fmt::format("{}: {} {} instead of {} {}", name, computed.size(), dtypeName(computed.dtype),
                           expected.size(), dtypeName(expected.dtype));
    if (!isFloat(expected.dtype)) {
        for (size_t i = 0; i < expected.integers.size(); ++i)
            if (computed.integers[i] != expected.integers[i])
                return fmt::format("{}[{}] is {} instead of {}", name, i, computed.integers[i], expected.integers[i]);
        return {};
    }
    double largest = 1;
    for (const double value : expected.floats)
        if (std::fabs(value) < 1e4) largest = std::max(largest, std::fabs(value));
    for (size_t i = 0; i < expected.floats.size(); ++i) {
        const double a = computed.floats[i];
        const double b = roundToType(expected.floats[i], expected.dtype);
        if (std::isnan(a) && std::isnan(b)) continue;
        if (a == b) continue;
        if (!(std::fabs(a - b) <= toleranceOf(expected.dtype) * std::max(largest, std::fabs(b))))
            return fmt::format("{}[{}] is {} instead of {}", name, i, a, b);
    }
    return {};
}

} // namespace

std::vector<NodeId> allNodes(const GraphFunction &function) {
    std::vector<NodeId> nodes;
    for (size_t n = 0; n < function.nodeCount(); ++n) nodes.emplace_back(n);
    return nodes;
}

std::vector<ValueId> readInputs(const GraphFunction &function) {
    std::vector<ValueId> inputs;
    std::set<int> seen;
    for (const NodeId id : allNodes(function)) {
        const Node &node = function.node(id);
        for (size_t i = 0; i < node.inputs.size(); ++i) {
            const ValueId input = node.inputs[i];
            if (input.value < 0 || function.value(input).producer.value >= 0) continue;
            if (!readsElements(node, i) || isLiteral(function, input)) continue;
            if (seen.insert(input.value).second) inputs.push_back(input);
        }
    }
    return inputs;
}

std::map<int, WideTensor> referenceValues(const GraphFunction &function, uint64_t seed, const ValueRanges &ranges) {
    ThreadPool pool(1);
    std::map<int, WideTensor> values;
    for (size_t v = 0; v < function.valueCount(); ++v) {
        const Value &value = function.value(ValueId(v));
        if (value.producer.value >= 0) continue;
        Random random(seed, v);
        const auto range = ranges.find(value.name);
        const ValueRange between = range == ranges.end() ? ValueRange{} : range->second;
        values[static_cast<int>(v)] =
            WideTensor::of(value.constant ? value.constant->dense() : drawn(*value.type, between, random));
    }
    for (const NodeId id : allNodes(function)) {
        const Node &node = function.node(id);
        const Operator *op = findOperator(node.op);
        if (op == nullptr || op->evaluate == nullptr) throw Error(node.op + " has no reference");
        const OperatorUse use = useOf(function, node);
        std::vector<const WideTensor *> given;
        for (const ValueId input : node.inputs) given.push_back(input.value < 0 ? nullptr : &values.at(input.value));
        auto outputs = op->evaluate(use, given, pool);
        if (!outputs) throw Error(outputs.why());
        for (size_t k = 0; k < node.outputs.size(); ++k) values[node.outputs[k].value] = std::move(outputs.value()[k]);
    }
    return values;
}

std::string differenceFrom(const std::map<int, WideTensor> &values, const GraphFunction &function,
                           const ComputeDag &dag, const std::vector<ValueId> &inputs,
                           const std::vector<ValueId> &outputs) {
    std::vector<TensorValue> arguments;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const WideTensor &value = values.at(inputs[i].value);
        arguments.push_back({value.dtype, dag.args()[i]->shape, value.floats, value.integers});
    }
    const std::vector<TensorValue> results = interpret(dag, arguments);
    for (size_t r = 0; r < results.size(); ++r) {
        const std::string wrong = compared(function.value(outputs[r]).name, results[r], values.at(outputs[r].value));
        if (!wrong.empty()) return wrong;
    }
    return {};
}

std::string referenceDifference(const FunctionPtr &function, uint64_t seed, const ValueRanges &ranges) {
    const std::vector<ValueId> inputs = readInputs(*function);
    const auto dag = computeDagOf(*function, allNodes(*function), inputs, function->results(), "tested");
    if (!dag) return "no DAG: " + dag.why();
    try {
        return differenceFrom(referenceValues(*function, seed, ranges), *function, **dag, inputs, function->results());
    } catch (const Error &error) {
        return "no reference: " + error.sentence();
    }
}

} // namespace loopscope
