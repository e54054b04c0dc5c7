#pragma once
// Functions of one node, for tests.

#include "reference_difference.h"

#include "networks/op/infer_types.h"

#include <QTest>

#include <optional>
#include <utility>

namespace loopscope {

/// A parameter of the node, or a constant; neither: the optional input is left out.
struct GivenInput {
    std::optional<TensorType> parameter;
    std::optional<HostTensor> constant;
    ValueRange range = {};
};

inline GivenInput floats(const std::vector<int64_t> &dims, double low = -1, double high = 1) {
    return {TensorType{DType::Float32, asDims(dims)}, {}, {low, high}};
}
inline GivenInput ofType(DType dtype, const std::vector<int64_t> &dims, double low = -1, double high = 1) {
    return {TensorType{dtype, asDims(dims)}, {}, {low, high}};
}
inline GivenInput edges(const std::vector<int64_t> &dims, DType dtype = DType::Float32, uint64_t which = kAllEdges) {
    return {TensorType{dtype, asDims(dims)}, {}, {-3, 3, which}};
}
inline GivenInput integers(std::vector<int64_t> values) {
    const auto count = static_cast<int64_t>(values.size());
    return {{}, integerTensor({count}, values), {}};
}
inline GivenInput scalar(double value) { return {{}, HostTensor::scalar(DType::Float32, value), {}}; }
inline GivenInput leftOut() { return {}; }

/// Results are all outputs. Fails the test where inference refuses.
inline FunctionPtr functionOfNode(const std::string &op, const std::vector<GivenInput> &inputs,
                                  Attributes attributes = {}, size_t outputs = 1) {
    FunctionBuilder builder("main");
    std::vector<ValueId> values;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const std::string name = "x" + std::to_string(i);
        if (inputs[i].parameter)
            values.push_back(builder.addParameter(name, *inputs[i].parameter));
        else if (inputs[i].constant)
            values.push_back(builder.addConstant(name, *inputs[i].constant));
        else
            values.emplace_back();
    }
    std::vector<std::string> names;
    for (size_t k = 0; k < outputs; ++k) names.push_back("y" + std::to_string(k));
    const NodeId node = builder.addNode({op, op, values, {}, std::move(attributes), {}}, names);
    const std::vector<ValueId> made = builder.soFar().node(node).outputs;
    for (const ValueId output : made) builder.addResult(output);
    const Outcome<FunctionPtr> typed = inferTypes(std::move(builder).finish());
    if (!typed) QTest::qFail(qPrintable(QString::fromStdString(typed.why())), __FILE__, __LINE__);
    return typed ? *typed : nullptr;
}

/// Empty when the DAG of the node agrees with the operator's reference.
inline std::string nodeDifference(const std::string &op, const std::vector<GivenInput> &inputs,
                                  Attributes attributes = {}, size_t outputs = 1, uint64_t seed = 1) {
    ValueRanges ranges;
    for (size_t i = 0; i < inputs.size(); ++i) ranges["x" + std::to_string(i)] = inputs[i].range;
    const FunctionPtr function = functionOfNode(op, inputs, std::move(attributes), outputs);
    return function ? referenceDifference(function, seed, ranges) : "no types";
}

} // namespace loopscope

/// The DAG of a node agrees with the operator's reference; where not, how.
#define COMPARE_NODE(...)                                                                                              \
    do {                                                                                                               \
        const std::string wrong = nodeDifference(__VA_ARGS__);                                                         \
        QVERIFY2(wrong.empty(), wrong.c_str());                                                                        \
    } while (false)
