#pragma once
// A recognised problem, computed by the plain loops over its strides, against the interpreter's answer for the DAG: a
// stride that is wrong reads a wrong element.

#include "baseline_reference.h"
#include "language/interpret/interpreter.h"
#include "measure/baselines/recognise.h"

#include <cmath>
#include <string>
#include <variant>
#include <vector>

namespace loopscope {

/// Where the two differ; empty: nowhere.
inline std::string differenceFromInterpreter(const ComputeDag &dag, const RecognisedProblem &found) {
    const std::vector<TensorValue> inputs = randomInputs(dag, 11);
    const std::vector<TensorValue> expected = interpret(dag, inputs);
    std::vector<std::vector<float>> values;
    for (const TensorValue &input : inputs) values.emplace_back(input.floats.begin(), input.floats.end());
    const auto bufferOf = [&](const Tensor *tensor) -> const float * {
        for (size_t i = 0; i < inputs.size(); ++i)
            if (dag.args()[i] == tensor) return values[i].data();
        return nullptr;
    };
    const BaselineBuffers buffers{bufferOf(found.data),    bufferOf(found.weights), bufferOf(found.bias),
                                  bufferOf(found.scale),   bufferOf(found.offset),  nullptr,
                                  bufferOf(found.residual)};
    const BaselineSizes sizes = bufferSizes(found.problem);
    if (buffers.data == nullptr || (sizes.weights > 0) != (buffers.weights != nullptr))
        return "an operand is missing, or one too many";
    if (found.out != dag.args().back()) return "the result is another tensor";
    if (sizes.out != expected[0].size()) return "the result has another size";
    std::vector<double> out(sizes.out, std::nan(""));
    std::visit([&](const auto &problem) { computeReference(problem, buffers, out); }, found.problem);
    for (size_t i = 0; i < out.size(); ++i)
        if (!(std::abs(out[i] - expected[0].floats[i]) < 1e-5))
            return "element " + std::to_string(i) + " is " + std::to_string(out[i]) + ", not " +
                   std::to_string(expected[0].floats[i]);
    return {};
}

} // namespace loopscope
